import type { CommandModule } from 'yargs';
import { type LedgerArguments, withLedger } from './ledger-options.ts';

export const infoCommand: CommandModule<object, LedgerArguments> = {
  command: 'info [job]',
  describe: 'Show what takes up room in the ledger, and which jobs have run on it',
  builder: (args) =>
    withLedger(args)
      .example('$0 ledger info', 'the ledger of the working directory')
      .example('$0 ledger info jobs/demo.yaml --json', 'that of a job, for scripts'),
  handler: async (args) => {
    const { findLedger } = await import('./find-ledger.ts');
    const { measureLedger } = await import('../../ledger/care/measure-ledger.ts');
    const { infoJson, infoText } = await import('./info-report.ts');
    const info = infoJson(measureLedger(findLedger(args)));
    process.stdout.write(args.json ? `${JSON.stringify(info)}\n` : infoText(info, process.stdout));
  },
};
