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
      .positional('file', filePositional('The other ledger, a backup, or a stored copy (s3://…)'))
      .example('$0 ledger merge laptop.db', 'what a colleague has paid for')
      .example('$0 ledger merge laptop.db nightly.yaml', 'into the ledger of a job')
      .example(
        '$0 ledger merge ledger.db.replaced-20261116T021500000Z nightly.yaml',
        'what was on a disk before a restore',
      )
      .example('$0 ledger merge backup/ledger.db', 'also mends answers that are damaged here')
      .epilogue(
        'The ledger is made where there is none. Of two answers to one question the younger counts. Nothing is removed, and a merge that is repeated takes nothing twice. Runs and their rows stay where they are. Answers belong to the address of their service.',
      ),
  handler: async (args) => {
    const { findLedgerJob } = await import('./find-ledger.ts');
    const { mergeLedger } = await import('../../ledger/care/merge-ledger.ts');
    const { openOtherLedger } = await import('../snapshot.ts');
    const { refuseUnstored, withKeptLedger } = await import('../kept-ledger.ts');
    const { mergeText } = await import('./merge-report.ts');
    const named = findLedgerJob(args);
    // The merge may make the ledger.
    const job = { ...named, ledgerCare: { ...named.ledgerCare, mustExist: false } };
    const done = await withKeptLedger(job, 'ledger merge', async () => {
      await using other = await openOtherLedger(args.file);
      return { ...mergeLedger(job.ledger, other.path), ...(other.from && { from: other.from }) };
    });
    const merged = done.result;
    process.stdout.write(args.json ? `${JSON.stringify(merged)}\n` : mergeText(merged));
    refuseUnstored(done);
  },
};
