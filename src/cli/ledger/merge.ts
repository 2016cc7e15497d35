import type { CommandModule } from 'yargs';
import { filePositional, type LedgerArguments, withLedger } from './ledger-options.ts';

interface MergeArguments extends LedgerArguments {
  file: string;
}

export const mergeCommand: CommandModule<object, MergeArguments> = {
  command: 'merge <file> [job]',
  describe: 'Take over the answers of another ledger, which is only read',
  builder: (args) =>
    withLedger(args)
      .positional('file', filePositional('The other ledger, or a backup'))
      .example('$0 ledger merge laptop.db', 'what a colleague has paid for')
      .example('$0 ledger merge laptop.db nightly.yaml', 'into the ledger of a job')
      .example('$0 ledger merge backup/ledger.db', 'also mends answers that are damaged here')
      .epilogue(
        'Of two answers to one question the younger counts. Nothing is removed, and a merge that is repeated takes nothing twice. Runs and their rows stay where they are. Answers belong to the address of their service.',
      ),
  handler: async (args) => {
    const { findLedger } = await import('./find-ledger.ts');
    const { mergeLedger } = await import('../../ledger/care/merge-ledger.ts');
    const { mergeText } = await import('./merge-report.ts');
    const merged = mergeLedger(findLedger(args), args.file);
    process.stdout.write(args.json ? `${JSON.stringify(merged)}\n` : mergeText(merged));
  },
};
