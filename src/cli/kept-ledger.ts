import { DossierError, withSentence } from '../errors.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { ServiceClient } from '../run/run-parts.ts';
import { systemClock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { type Log, openLog } from '../runtime/log/log.ts';
import type { SnapshotListener } from '../snapshot/lease.ts';
import type { LedgerKeeper } from '../snapshot/open-keeper.ts';
import type { Terminal } from './command.ts';
import { listenForSignals } from './run/interruption.ts';
import { openJobStore } from './snapshot.ts';
import { bytesText, minuteOf, nameJob } from './terminal/text.ts';

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
  const { openKeeper } = await import('../snapshot/open-keeper.ts');
  const { leaseLengthMs } = await import('../snapshot/lease.ts');
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

/**
 * Does what a command other than a run does with the ledger of a job, which is kept meanwhile. Where it could not be
 * stored, the command ends with that once it has shown its result.
 */
export async function withKeptLedger<Result>(
  job: Pick<ResolvedJob, 'name' | 'ledger' | 'ledgerCare'>,
  purpose: string,
  { note: say, fail }: Pick<Terminal, 'note' | 'fail'>,
  work: (kept: KeptLedger | undefined) => Result | Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  if (!job.ledgerCare.snapshot) return await work(undefined);
  const log = openLog({ format: 'text', level: 'warn' });
  const stopping = signal ?? listenForSignals(() => {}).signal;
  const kept = await keepLedger(job, { log, say, signal: stopping, purpose });
  const { result, trouble } = await whileKept(kept, async () => await work(kept));
  fail(trouble);
  return result;
}

/** Tells what becomes of the lease and the snapshots of a ledger: as events, and to people what they wait for. */
function tellSnapshots(
  log: Log,
  say: (sentence: string) => void,
  address: string,
  isStopping: () => boolean = () => false,
): SnapshotListener {
  return {
    onWatch({ host, pid, job, lengthMs }, atMostMs) {
      log.info({ host, pid, job, lengthMs }, 'lease.watched');
      say(
        `${address} is leased to ${job} on ${host} (process ${pid}). Watching for up to ${formatDuration(atMostMs)} whether that is alive.`,
      );
    },
    onTaken(lengthMs) {
      log.info({ snapshot: address, lengthMs }, 'lease.taken');
    },
    onRestored({ answers, storedAt }, { bytes, ms, replaced }) {
      log.info({ answers, bytes, ms: Math.round(ms) }, 'snapshot.restored');
      say(`Restored the ledger from the snapshot of ${minuteOf(storedAt)} (${bytesText(bytes)}).`);
      if (replaced === undefined) return;
      log.warn({ ledger: replaced }, 'ledger.replaced');
      const what = 'The ledger that was here is not that of the snapshot. It is now';
      say(
        nameJob(
          `${what} ${replaced}; \`dossier ledger merge ${replaced} <job>\` takes in its answers.`,
        ),
      );
    },
    onStored({ answers, size }, { bytes, ms }) {
      log.info({ answers, bytes, stored: size, ms: Math.round(ms) }, 'snapshot.stored');
      // A platform gives a process so much time to end, which has to be enough for this.
      if (isStopping()) say(`Stored the ledger in ${formatDuration(ms)}.`);
    },
    onTrouble(what, error) {
      const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
      log.warn({ reason }, what === 'lease' ? 'lease.unrenewed' : 'snapshot.delayed');
    },
    onLost({ message }) {
      log.error({ reason: message }, 'lease.lost');
    },
  };
}
