import type { CommandModule } from 'yargs';
import { backupCommand } from './backup.ts';
import { checkLedgerCommand } from './check.ts';
import { infoCommand } from './info.ts';
import { mergeCommand } from './merge.ts';
import { pruneCommand } from './prune.ts';

/** What can be done with a ledger, in the order of the help. */
export const ledgerCommands = [
  infoCommand,
  backupCommand,
  mergeCommand,
  pruneCommand,
  checkLedgerCommand,
] as CommandModule[];

export const ledgerCommand: CommandModule = {
  command: 'ledger <action>',
  describe: 'Look after the ledger: its size, copies, health, and what it keeps',
  builder: (args) =>
    args
      .command(ledgerCommands)
      .example('$0 ledger info', 'what takes how much room')
      .example('$0 ledger backup backup/ledger.db --force', 'a copy, while runs go on'),
  // yargs comes here only where the word is none of the commands, and says no more of it than this.
  handler: ({ action }) => {
    throw Object.assign(new Error(`Unknown argument: ${action}`), { name: 'YError' });
  },
};
