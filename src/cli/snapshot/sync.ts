import type { CommandModule } from 'yargs';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { refuseOtherLedger } from '../../overview/jobs/kept-ledger.ts';
import { type LedgerArguments, withLedger } from '../ledger/ledger-options.ts';

export const syncCommand: CommandModule<object, LedgerArguments> = {
  command: 'sync <job>',
  describe: 'Bring the ledger of this machine and its snapshot to the same state',
  builder: (args) =>
    withLedger(args)
      .example('$0 ledger sync nightly.yaml', 'before a look at what a pod has done')
      .epilogue(
        'Restores the snapshot where it is newer, stores the ledger where that is ahead. Needs the lease, as a run does: 75 while another process has it.',
      ),
  handler: async (args) => {
    const { findLedgerJob } = await import('../ledger/find-ledger.ts');
    const { refuseUnstored, withKeptLedger } = await import('./with-kept-ledger.ts');
    const { describeSnapshots, snapshotLines } = await import('./snapshot-report.ts');
    const { nameJob } = await import('../terminal/name-job.ts');
    const job = requireSnapshot(findLedgerJob(args));
    refuseUnstored(await withKeptLedger(job, 'ledger sync', () => {}));
    const snapshot = await describeSnapshots(job);
    const text = snapshotLines(snapshot).map((line) => `${nameJob(line)}\n`);
    process.stdout.write(args.json ? `${JSON.stringify(snapshot)}\n` : text.join(''));
  },
};

/** Refuses a job whose ledger is on this machine alone. */
export function requireSnapshot(job: ResolvedJob): ResolvedJob {
  refuseOtherLedger(job);
  if (job.ledgerCare.snapshot !== undefined) return job;
  throw new DossierError(
    'USAGE',
    'this ledger has no snapshot: the job names none with ledger.snapshot',
  );
}
