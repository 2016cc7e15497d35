import type { CommandModule } from 'yargs';
import { type LedgerArguments, withLedger } from '../ledger/ledger-options.ts';

interface ReleaseArguments extends LedgerArguments {
  force: boolean;
}

export const releaseCommand: CommandModule<object, ReleaseArguments> = {
  command: 'release <job>',
  describe: 'Free the lease of a ledger whose process is gone',
  builder: (args) =>
    withLedger(args)
      .option('force', {
        type: 'boolean',
        default: false,
        describe: 'Also of a process that is alive: it stops, and its answers are stored aside',
      })
      .example('$0 ledger release nightly.yaml', 'after a pod was lost')
      .epilogue(
        'Watches for the length of the lease whether it is renewed. A run does the same by itself, so this is needed only where you want to know first.',
      ),
  handler: async (args) => {
    const { findLedgerJob } = await import('../ledger/find-ledger.ts');
    const { openJobStore } = await import('./open-job-store.ts');
    const { requireSnapshot } = await import('./sync.ts');
    const { tellSnapshots } = await import('./tell-snapshots.ts');
    const { leaseLengthMs } = await import('../../snapshot/take-lease.ts');
    const { releaseLease } = await import('../../snapshot/release-lease.ts');
    const { openLog } = await import('../../runtime/log/log.ts');
    const { systemClock } = await import('../../runtime/clock.ts');
    const { listenForSignals } = await import('../run/interruption.ts');
    const { snapshot } = requireSnapshot(findLedgerJob(args)).ledgerCare;
    const address = snapshot?.address ?? '';
    const { store, at } = await openJobStore(address);
    await using _store = store;
    const log = openLog({ format: 'text', level: 'warn' });
    const say = (sentence: string) => void process.stderr.write(`${sentence}\n`);
    const holder = await releaseLease(
      store,
      {
        ...{ at, job: 'ledger release', clock: systemClock },
        lengthMs: leaseLengthMs(process.env),
        signal: listenForSignals(() => {}).signal,
        ...tellSnapshots(log, say, address),
      },
      args.force,
    );
    const freed = holder ? { job: holder.job, host: holder.host, pid: holder.pid } : null;
    const text = holder
      ? `Freed the lease of ${holder.job} on ${holder.host} (process ${holder.pid}).\n`
      : `Nobody holds the lease of ${address}.\n`;
    process.stdout.write(args.json ? `${JSON.stringify({ address, freed })}\n` : text);
  },
};
