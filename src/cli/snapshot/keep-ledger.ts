import { DossierError, withSentence } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { ServiceClient } from '../../run/run-parts.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { LedgerKeeper } from '../../snapshot/open-keeper.ts';
import { nameJob } from '../terminal/name-job.ts';
import { tellSnapshots } from './tell-snapshots.ts';

export interface KeepingParts {
  readonly log: Log;
  /** Tells people what they have to know at once. */
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
  /** What the ledger is used for; the job where absent. */
  readonly purpose?: string;
}

/** The ledger of a job that is kept in a store, for as long as a command uses it. */
export interface KeptLedger extends Omit<LedgerKeeper, 'lost'> {
  /** Aborts with the signal of the command, and when the lease is lost. */
  readonly signal: AbortSignal;
}

type Job = Pick<ResolvedJob, 'name' | 'ledger' | 'ledgerCare'>;

/** Takes the lease of a job's ledger and restores it; undefined where the job has no snapshot. */
export async function keepLedger(
  { name, ledger, ledgerCare }: Job,
  { log, say, signal, purpose = name }: KeepingParts,
): Promise<KeptLedger | undefined> {
  const { snapshot, mustExist } = ledgerCare;
  if (!snapshot) return undefined;
  const { openJobStore } = await import('./open-job-store.ts');
  const { openKeeper } = await import('../../snapshot/open-keeper.ts');
  const { leaseLengthMs } = await import('../../snapshot/lease.ts');
  const { store, at } = await openJobStore(snapshot.address);
  const keeper = await openKeeper({
    store,
    at,
    ledger,
    mustExist,
    signal,
    job: purpose,
    everyMs: snapshot.everyMs,
    leaseMs: leaseLengthMs(process.env),
    clock: systemClock,
    listener: tellSnapshots(log, say, snapshot.address, () => signal.aborted),
  });
  return {
    ...keeper,
    signal: AbortSignal.any([signal, keeper.lost]),
    async end() {
      const trouble = await keeper.end();
      await store[Symbol.asyncDispose]();
      return (
        trouble && new DossierError(trouble.code, nameJob(trouble.message), { cause: trouble })
      );
    },
  };
}

/** What a command has come to, and what went wrong when its ledger was stored. */
export interface Kept<Result> {
  readonly result: Result;
  readonly trouble: DossierError | undefined;
}

/** Works with a ledger that is kept. It is stored whatever comes of the work; an error says so, too. */
export async function whileKept<Result>(
  kept: KeptLedger | undefined,
  work: () => Promise<Result>,
): Promise<Kept<Result>> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    const trouble = await kept?.end();
    const isTold = trouble && error instanceof DossierError;
    throw isTold ? withSentence(error, sentenceOf(trouble)) : error;
  }
  return { result, trouble: await kept?.end() };
}

function sentenceOf({ message }: Error): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
}

/** Looks at the lease before each call: a process that was stopped may be late to hear that it is lost. */
export function guardCalls(kept: KeptLedger | undefined, client: ServiceClient): ServiceClient {
  if (!kept) return client;
  return {
    ...client,
    send(...call) {
      kept.check();
      return client.send(...call);
    },
  };
}
