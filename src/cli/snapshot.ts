import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError, withSentence } from '../core/errors.ts';
import { type ObjectAddress, readObjectAddress } from '../core/objects/object-address.ts';
import type { ObjectStore } from '../core/objects/open-object-store.ts';
import { systemClock } from '../core/runtime/clock.ts';
import { formatDuration } from '../core/runtime/duration.ts';
import { notLocal, shownPath } from '../core/runtime/files/local-path.ts';
import { withoutSecrets } from '../core/runtime/log/known-secrets.ts';
import { type Log, openLog } from '../core/runtime/log/log.ts';
import { asSentence } from '../core/runtime/printable.ts';
import { withTimeout } from '../core/runtime/retry.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { SnapshotListener } from '../reach/snapshot/lease.ts';
import type { LedgerKeeper } from '../reach/snapshot/open-keeper.ts';
import type { ServiceClient } from '../run/run-parts.ts';
import type { SnapshotJson } from '../ui/overview/status.ts';
import { audited } from './audited.ts';
import { listenForSignals } from './run/interruption.ts';
import { clearLine, type Terminal } from './terminal/terminal.ts';
import { bytesText, counted, minuteOf, nameJob } from './terminal/text.ts';

/** A ledger to be read, on this machine for as long as it is open. */
interface ReadableLedger extends AsyncDisposable {
  readonly path: string;
  /** Its address, where it was fetched. */
  readonly from?: string;
}

/** Opens a ledger that a command line names: a path, or the address of a compressed copy, which is fetched. */
export async function openOtherLedger(given: string): Promise<ReadableLedger> {
  const trouble = notLocal(given, 's3');
  if (trouble !== undefined) throw new DossierError('USAGE', `${shownPath(given)}: ${trouble}`);
  if (!/^s3:\/\//i.test(given)) return hereAt(given);
  try {
    return await fetchToRead(given);
  } catch (error) {
    // What is wrong with a snapshot of the job itself has another remedy.
    const isNone = error instanceof DossierError && error.code === 'SNAPSHOT_DAMAGED';
    throw isNone ? new DossierError('USAGE', error.message, { cause: error }) : error;
  }
}

/** The ledger of a job, to be read: a temporary copy of the snapshot where there is no file here. */
export async function openToLook({ ledger, ledgerCare }: ResolvedJob): Promise<ReadableLedger> {
  const { snapshot } = ledgerCare;
  if (!snapshot || existsSync(ledger)) return hereAt(ledger);
  return await fetchToRead(snapshot.address, ledger);
}

function hereAt(path: string): ReadableLedger {
  return { path, async [Symbol.asyncDispose]() {} };
}

/** Fetches the object at an address or, with `ledger`, the snapshot that counts for that file. */
async function fetchToRead(address: string, ledger?: string): Promise<ReadableLedger> {
  const { fetchLedger } = await import('../reach/snapshot/copy-ledger.ts');
  const { readSnapshot } = await import('../reach/snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const stored = ledger === undefined ? at : (await readSnapshot(store, at, ledger)).stored;
  if (!stored) return hereAt(ledger ?? '');
  const folder = await mkdtemp(join(tmpdir(), 'dossier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'ledger.db');
  try {
    await fetchLedger(store, { ...at, key: stored.key }, path, new AbortController().signal);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, from: address, [Symbol.asyncDispose]: remove };
}

/** A command that only reads waits this long for the store. */
const patienceMs = 10_000;

/** The snapshot of a job; null where it has none. A store that does not answer is part of the result. */
export async function describeSnapshots(job: ResolvedJob): Promise<SnapshotJson | null> {
  const { snapshot } = job.ledgerCare;
  try {
    return snapshot ? await readSnapshotFacts(job.ledger, snapshot.address) : null;
  } catch (error) {
    const { name, message } = error as Error;
    const late = `${snapshot?.address}: no answer in ${formatDuration(patienceMs)}`;
    const trouble = withoutSecrets(name === 'TimeoutError' ? late : message);
    return { ...unknown, address: snapshot?.address ?? '', trouble };
  }
}

const unknown = {
  storedAt: null,
  ageSeconds: null,
  answers: null,
  object: null,
  bytes: null,
  holder: null,
  here: null,
  callsAtRisk: 0,
};

/** The same, where a store that does not answer is an error. `tryStore` may do more with it. */
export async function readSnapshotFacts(
  ledger: string,
  address: string,
  tryStore: (store: ObjectStore, at: ObjectAddress) => Promise<void> = async () => {},
): Promise<SnapshotJson> {
  const { readSnapshot } = await import('../reach/snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const read = await withTimeout(readSnapshot(store, at, ledger), patienceMs);
  await tryStore(store, at);
  const { stored, holder, here, callsAtRisk } = read;
  const iso = (wallMs: number) => new Date(wallMs).toISOString();
  return {
    ...unknown,
    address,
    ...(stored && {
      storedAt: iso(stored.storedAt),
      ageSeconds: Math.max(0, Math.round((Date.now() - stored.storedAt) / 1_000)),
      answers: stored.answers,
      object: stored.address,
      bytes: stored.size,
    }),
    holder: holder && {
      host: holder.host,
      pid: holder.pid,
      job: holder.job,
      since: iso(holder.startedAt),
    },
    here,
    callsAtRisk,
    trouble: null,
  };
}

/** The same for people, a sentence a line. */
export function snapshotLines(snapshot: SnapshotJson | null): string[] {
  if (!snapshot) return [];
  const { address, storedAt, ageSeconds, answers, holder, here, callsAtRisk, trouble } = snapshot;
  if (trouble !== null) return [`Snapshot: not known just now. ${trouble}`];
  const minute = (iso: string) => minuteOf(Date.parse(iso));
  const newest =
    storedAt === null
      ? `No snapshot yet at ${address}`
      : `Snapshot, ${formatDuration((ageSeconds ?? 0) * 1_000)} old (${minute(storedAt)}), with ${counted(answers ?? 0, 'answer')}: ${address}`;
  const cost = callsAtRisk === 0 ? 'nothing' : counted(callsAtRisk, 'call');
  const local = {
    current: `A lost disk would cost ${cost}.`,
    missing: 'There is no ledger on this machine; the next run restores the snapshot.',
    other:
      'The ledger on this machine is not that of the snapshot. The next run renames it and restores the snapshot.',
  };
  const lease =
    holder &&
    `Leased to ${holder.job} on ${holder.host} (process ${holder.pid}) since ${minute(holder.since)}.`;
  return [newest, lease, here && local[here]].filter((line) => line !== null);
}

/** Opens the store of an address that a job or a command line names. */
async function openJobStore(address: string) {
  const at = readObjectAddress(address);
  if (!at || at.key === '') {
    const message = `${address} is no address of an object, such as s3://bucket/leads/ledger.db.zst`;
    throw new DossierError('JOB_INVALID', message);
  }
  // Most commands name no store, and start sooner without its client.
  const { openObjectStore } = await import('../core/objects/open-object-store.ts');
  return { store: await openObjectStore(), at };
}

interface KeepingParts {
  readonly log: Log;
  /** Tells people what they have to know at once. */
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
  /** What the audit calls the command. */
  readonly command: string;
  /** What the ledger is used for; the job where absent. */
  readonly purpose?: string;
}

/** The ledger of a job that is kept in a store, for as long as a command uses it. */
export interface KeptLedger extends Pick<LedgerKeeper, 'check' | 'storedAt'> {
  /** Aborts with the signal of the command, and when the lease is lost. */
  readonly signal: AbortSignal;
}

/**
 * Works with the ledger of a job: takes its lease, restores it, and stores it whatever comes of the work. `trouble` says
 * why it could not be stored; an error of the work says so, too. A job without a snapshot only works.
 */
export async function whileKept<Result>(
  job: ResolvedJob,
  { log, say, signal, command, purpose = job.name }: KeepingParts,
  work: (kept: KeptLedger | undefined) => Result | Promise<Result>,
): Promise<{ readonly result: Result; readonly trouble: DossierError | undefined }> {
  const { ledger, ledgerCare } = job;
  const { snapshot, mustExist } = ledgerCare;
  // In the ledger before the last copy leaves: a pod that loses its disk keeps its audit.
  const auditedWork = (kept: KeptLedger | undefined) =>
    audited(job, command, () => work(kept), say);
  if (!snapshot) return { result: await auditedWork(undefined), trouble: undefined };
  const { openKeeper } = await import('../reach/snapshot/open-keeper.ts');
  const { lastSnapshotMs, leaseLengthMs } = await import('../reach/snapshot/lease.ts');
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
    lastCopyMs: lastSnapshotMs(process.env),
    clock: systemClock,
    listener: tellSnapshots(log, say, snapshot.address, signal),
  });
  const end = async () => {
    const trouble = await keeper.end(command === 'forget');
    await store[Symbol.asyncDispose]();
    return trouble && new DossierError(trouble.code, nameJob(trouble.message), { cause: trouble });
  };
  let result: Result;
  try {
    result = await auditedWork({ ...keeper, signal: AbortSignal.any([signal, keeper.lost]) });
  } catch (error) {
    const trouble = await end();
    if (!trouble || !(error instanceof DossierError)) throw error;
    throw withSentence(error, asSentence(trouble.message));
  }
  return { result, trouble: await end() };
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
  job: ResolvedJob,
  command: string,
  { note: say, fail }: Pick<Terminal, 'note' | 'fail'>,
  work: (kept: KeptLedger | undefined) => Result | Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  if (!job.ledgerCare.snapshot) return await audited(job, command, () => work(undefined), say);
  const log = openLog({ format: 'text', level: 'warn', beforeLine: clearLine });
  const parts = {
    log,
    say,
    signal: signal ?? listenForSignals().signal,
    command,
    purpose: command,
  };
  const { result, trouble } = await whileKept(job, parts, work);
  fail(trouble);
  return result;
}

/** Tells what becomes of the lease and the snapshots of a ledger: as events, and to people what they wait for. */
function tellSnapshots(
  log: Log,
  say: (sentence: string) => void,
  address: string,
  signal: AbortSignal,
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
      say(
        nameJob(
          `The ledger that was here is not that of the snapshot. It is now ${replaced}; \`dossier ledger merge ${replaced} <job>\` takes in its answers.`,
        ),
      );
    },
    onStored({ answers, size }, { bytes, ms }) {
      log.info({ answers, bytes, stored: size, ms: Math.round(ms) }, 'snapshot.stored');
      // A platform gives a process so much time to end, which has to be enough for this.
      if (signal.aborted) say(`Stored the ledger in ${formatDuration(ms)}.`);
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
