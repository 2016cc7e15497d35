import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError, messageOf, withSentence } from '../core/errors.ts';
import { formatDuration } from '../core/values/duration.ts';
import { counted, formatBytes, formatMinute } from '../core/values/format.ts';
import { withoutSecrets } from '../core/values/known-secrets.ts';
import { asSentence } from '../core/values/printable.ts';
import { audited, type Command } from '../engine/ledger/care/audit.ts';
import { upgradeCopy } from '../engine/ledger/care/backup-ledger.ts';
import { copyKeptDays, upgradeLedger } from '../engine/ledger/care/upgrade-ledger.ts';
import type { SnapshotJson } from '../facts/status.ts';
import type { SnapshotListener } from '../integrations/snapshot/lease.ts';
import type { LedgerKeeper } from '../integrations/snapshot/open-keeper.ts';
import type { JobLedger, ResolvedJob } from '../job/resolved-job.ts';
import { systemClock } from '../platform/clock.ts';
import { fromHere, notLocal, shownPath } from '../platform/files/local-path.ts';
import type { Log } from '../platform/log.ts';
import { type ObjectAddress, readObjectAddress } from '../platform/objects/object-address.ts';
import type { ObjectStore } from '../platform/objects/open-object-store.ts';
import { withTimeout } from '../platform/retry.ts';
import { iso } from '../run/run-facts.ts';
import type { ServiceClient } from '../run/run-parts.ts';
import { listenForSignals } from './run/interruption.ts';
import { clearLine, type Terminal } from './terminal/terminal.ts';
import { nameJob } from './terminal/text.ts';

interface ReadableLedger extends AsyncDisposable {
  readonly path: string;
  /** Set if the ledger was downloaded. */
  readonly from?: string;
}

export async function openOtherLedger(given: string): Promise<ReadableLedger> {
  const problem = notLocal(given, 's3');
  if (problem !== undefined) throw new DossierError('USAGE', `${shownPath(given)}: ${problem}`);
  if (!/^s3:\/\//i.test(given)) return hereAt(given);
  try {
    return await fetchToRead(given);
  } catch (error) {
    // Another code, because the remedy of SNAPSHOT_DAMAGED fits only the job's own snapshot.
    const isDamaged = error instanceof DossierError && error.code === 'SNAPSHOT_DAMAGED';
    throw isDamaged ? new DossierError('USAGE', error.message, { cause: error }) : error;
  }
}

export async function openToLook({ ledger, ledgerCare }: JobLedger): Promise<ReadableLedger> {
  const { snapshot } = ledgerCare;
  if (!snapshot || existsSync(ledger)) return hereAt(ledger);
  return await fetchToRead(snapshot.address, ledger);
}

function hereAt(path: string): ReadableLedger {
  return { path, async [Symbol.asyncDispose]() {} };
}

/**
 * With `ledger`, downloads the newest copy stored at the snapshot address. Without it, downloads
 * the object that `address` names.
 */
async function fetchToRead(address: string, ledger?: string): Promise<ReadableLedger> {
  const { fetchLedger } = await import('../integrations/snapshot/copy-ledger.ts');
  const { readSnapshot } = await import('../integrations/snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const stored = ledger === undefined ? at : (await readSnapshot(store, at, ledger)).stored;
  if (!stored) return hereAt(ledger ?? '');
  const folder = await mkdtemp(join(tmpdir(), 'dossier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'ledger.db');
  try {
    await fetchLedger(store, { ...at, key: stored.key }, path, new AbortController().signal);
    if (ledger !== undefined) upgradeCopy(path);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, from: address, [Symbol.asyncDispose]: remove };
}

const patienceMs = 10_000;

export async function describeSnapshots(job: ResolvedJob): Promise<SnapshotJson | null> {
  const { snapshot } = job.ledgerCare;
  if (!snapshot) return null;
  const { address } = snapshot;
  try {
    return await readSnapshotFacts(job.ledger, address);
  } catch (error) {
    const { name, message } = error as Error;
    const late = `${address}: no answer in ${formatDuration(patienceMs)}`;
    const trouble = withoutSecrets(name === 'TimeoutError' ? late : message);
    return { ...unknown, address, trouble };
  }
}

const unknown = {
  storedAt: null,
  answers: null,
  object: null,
  bytes: null,
  holder: null,
  here: null,
  callsAtRisk: 0,
  trouble: null,
};

export async function readSnapshotFacts(
  ledger: string,
  address: string,
  tryStore: (store: ObjectStore, at: ObjectAddress) => Promise<void> = async () => {},
): Promise<SnapshotJson> {
  const { readSnapshot } = await import('../integrations/snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const { stored, holder, here, callsAtRisk } = await withTimeout(
    readSnapshot(store, at, ledger),
    patienceMs,
  );
  await tryStore(store, at);
  return {
    ...unknown,
    address,
    ...(stored && {
      storedAt: iso(stored.storedAt),
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
  };
}

const localStates = {
  missing: 'There is no ledger on this machine; the next run restores the snapshot.',
  other: 'This machine has a different ledger. The next run renames it and restores the snapshot.',
};

export function snapshotLines(snapshot: SnapshotJson | null): string[] {
  if (!snapshot) return [];
  const { address, storedAt, answers, holder, here, callsAtRisk, trouble } = snapshot;
  if (trouble !== null) return [`Snapshot unknown. ${trouble}`];
  const newest =
    storedAt === null
      ? `No snapshot yet at ${address}`
      : `Snapshot of ${formatMinute(storedAt)}, ${counted(answers ?? 0, 'answer')}: ${address}`;
  const user = holder && `In use by ${holder.job} on ${holder.host}, process ${holder.pid}.`;
  const risk = callsAtRisk > 0 && `${counted(callsAtRisk, 'answer')} not in the snapshot yet.`;
  const local = here === null || here === 'current' ? risk : localStates[here];
  return [newest, user, local].filter((line) => typeof line === 'string');
}

async function openJobStore(address: string) {
  const at = readObjectAddress(address);
  if (!at || at.key === '') {
    const message = `${address} does not look like s3://bucket/leads/ledger.db.zst`;
    throw new DossierError('JOB_INVALID', message);
  }
  const { openObjectStore } = await import('../platform/objects/open-object-store.ts');
  return { store: await openObjectStore(), at };
}

interface KeepingParts {
  readonly log: Log;
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
  readonly command: Command;
  readonly leaseHolder?: string;
  /** Set by `forget`, because older copies contain what was forgotten. */
  readonly removesOldCopies?: boolean;
}

export interface KeptLedger extends Pick<LedgerKeeper, 'check' | 'storedAt'> {
  /** Aborts when the command is stopped or the lease is lost. */
  readonly signal: AbortSignal;
}

/** Stores the ledger even if the work failed. `snapshotError` says why it was not stored. */
export async function whileKept<Result>(
  job: ResolvedJob,
  { log, say, signal, command, leaseHolder = job.name, removesOldCopies }: KeepingParts,
  work: (kept: KeptLedger | undefined) => Result | Promise<Result>,
): Promise<{ readonly result: Result; readonly snapshotError: DossierError | undefined }> {
  const { ledger, ledgerCare } = job;
  const { snapshot, mustExist } = ledgerCare;
  await upgradeFirst(job, command, say);
  // Audited before the last copy is stored, so the copy includes the entry.
  const auditedWork = (kept: KeptLedger | undefined) =>
    audited(job, command, () => work(kept), say);
  if (!snapshot) return { result: await auditedWork(undefined), snapshotError: undefined };
  const { openKeeper } = await import('../integrations/snapshot/open-keeper.ts');
  const { lastSnapshotMs, leaseLengthMs } = await import('../integrations/snapshot/lease.ts');
  const { store, at } = await openJobStore(snapshot.address);
  const keeper = await openKeeper({
    store,
    at,
    ledger,
    mustExist,
    signal,
    job: leaseHolder,
    everyMs: snapshot.everyMs,
    leaseMs: leaseLengthMs(process.env),
    lastCopyMs: lastSnapshotMs(process.env),
    clock: systemClock,
    listener: reportSnapshots(log, say, snapshot.address, signal),
  });
  const end = async () => {
    const error = await keeper.end(removesOldCopies);
    await store[Symbol.asyncDispose]();
    return error && new DossierError(error.code, nameJob(error.message), { cause: error });
  };
  let result: Result;
  try {
    result = await auditedWork({ ...keeper, signal: AbortSignal.any([signal, keeper.lost]) });
  } catch (error) {
    const snapshotError = await end();
    if (!snapshotError || !(error instanceof DossierError)) throw error;
    throw withSentence(error, asSentence(snapshotError.message));
  }
  return { result, snapshotError: await end() };
}

async function upgradeFirst(
  { ledger }: JobLedger,
  command: Command,
  say: (sentence: string) => void,
) {
  if (String(command).endsWith('--dry-run')) return;
  const copy = await upgradeLedger(ledger);
  if (copy === undefined) return;
  say(
    `Upgraded the ledger. A copy of it as it was is in ${fromHere(copy)} for ${copyKeptDays} days.`,
  );
}

/** Checks the lease before each call: a paused process may have lost it. */
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

/** If the last snapshot cannot be stored, the command prints its result, then fails. */
export async function withKeptLedger<Result>(
  job: ResolvedJob,
  command: string,
  { note: say, fail }: Pick<Terminal, 'note' | 'fail'>,
  work: (kept: KeptLedger | undefined) => Result | Promise<Result>,
  options: Partial<Pick<KeepingParts, 'signal' | 'removesOldCopies'>> = {},
): Promise<Result> {
  if (!job.ledgerCare.snapshot) {
    await upgradeFirst(job, command, say);
    return await audited(job, command, () => work(undefined), say);
  }
  const { createLog } = await import('../platform/log.ts');
  const log = createLog({ format: 'text', level: 'warn', beforeLine: clearLine });
  const parts = {
    log,
    say,
    command,
    leaseHolder: command,
    ...options,
    signal: options.signal ?? listenForSignals().signal,
  };
  const { result, snapshotError } = await whileKept(job, parts, work);
  fail(snapshotError);
  return result;
}

function reportSnapshots(
  log: Log,
  say: (sentence: string) => void,
  address: string,
  signal: AbortSignal,
): SnapshotListener {
  return {
    onWatch({ host, pid, job, lengthMs }, atMostMs) {
      log.info({ host, pid, job, lengthMs }, 'lease.watched');
      say(
        `${address} is in use by ${job} on ${host}, process ${pid}. Waiting up to ${formatDuration(atMostMs)} to see whether that process is alive.`,
      );
    },
    onTaken(lengthMs) {
      log.info({ snapshot: address, lengthMs }, 'lease.taken');
    },
    onRestored({ answers, storedAt }, { bytes, ms, replaced }) {
      log.info({ answers, bytes, ms: Math.round(ms) }, 'snapshot.restored');
      say(`Restored the snapshot of ${formatMinute(storedAt)} (${formatBytes(bytes)}).`);
      if (replaced === undefined) return;
      log.warn({ ledger: replaced }, 'ledger.replaced');
      const merge = nameJob(`\`dossier ledger merge ${replaced} <job>\``);
      say(`Renamed the local ledger to ${replaced}. To add its answers to the snapshot: ${merge}.`);
    },
    onStored({ answers, size }, { bytes, ms }) {
      log.info({ answers, bytes, stored: size, ms: Math.round(ms) }, 'snapshot.stored');
      // Shown after a stop, because the platform's grace period must be longer than this time.
      if (signal.aborted) say(`Storing the ledger took ${formatDuration(ms)}.`);
    },
    onError(what, error) {
      const reason = withoutSecrets(messageOf(error));
      log.warn({ reason }, what === 'lease' ? 'lease.unrenewed' : 'snapshot.delayed');
    },
    onLost({ message }) {
      log.error({ reason: message }, 'lease.lost');
    },
  };
}
