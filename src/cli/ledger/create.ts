import type { CommandModule } from 'yargs';
import { type LedgerArguments, withLedger } from './ledger-options.ts';

export const createCommand: CommandModule<object, LedgerArguments> = {
  command: 'create [job]',
  describe: 'Make a new, empty ledger, for a job whose ledger must exist',
  builder: (args) =>
    withLedger(args)
      .example('$0 ledger create nightly.yaml', 'on the first day of a job')
      .epilogue(
        'A run makes its ledger itself, unless the job says `ledger: {mustExist: true}`. Then a ledger that has vanished ends the run with 74 instead of being paid for again.',
      ),
  handler: async (args) => {
    const { findLedgerJob } = await import('./find-ledger.ts');
    const { refuseUnstored, withKeptLedger } = await import('../snapshot/with-kept-ledger.ts');
    const { createLedger } = await import('../../ledger/care/create-ledger.ts');
    const { fromHere } = await import('../terminal/from-here.ts');
    const job = findLedgerJob(args);
    // The first one may be missing, as it is about to be made.
    const made = { ...job, ledgerCare: { ...job.ledgerCare, mustExist: false } };
    const done = await withKeptLedger(made, 'ledger create', () => createLedger(job.ledger));
    const path = done.result;
    process.stdout.write(
      args.json ? `${JSON.stringify({ ledger: path })}\n` : `Made ${fromHere(path)}.\n`,
    );
    refuseUnstored(done);
  },
};
