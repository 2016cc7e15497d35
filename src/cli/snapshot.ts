import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import { DossierError } from '../errors.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type ObjectAddress, readObjectAddress } from '../objects/object-address.ts';
import type { ObjectStore } from '../objects/open-object-store.ts';
import type { SnapshotJson } from '../overview/status/snapshot-json.ts';
import { formatDuration } from '../runtime/duration.ts';
import { notLocal, shownPath } from '../runtime/files/local-path.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { withTimeout } from '../runtime/retry.ts';
import { counted, minuteOf } from './terminal/text.ts';

/** A ledger to be read, on this machine for as long as it is open. */
interface ReadableLedger extends AsyncDisposable {
  readonly path: string;
  /** Its address, where it was fetched. */
  readonly from?: string;
}

/** Opens a ledger that a command line names: a path, or the address of a compressed copy, which is fetched. */
export async function openOtherLedger(given: string): Promise<ReadableLedger> {
  const trouble = notLocal(given, 's3://');
  if (trouble !== undefined) throw new DossierError('USAGE', `${shownPath(given)}: ${trouble}`);
  if (!/^s3:\/\//i.test(given)) return hereAt(given);
  try {
    return await fetchToRead(given, async (_, at) => at.key);
  } catch (error) {
    // What is wrong with a snapshot of the job itself has another remedy.
    const isNone = error instanceof DossierError && error.code === 'SNAPSHOT_DAMAGED';
    throw isNone ? new DossierError('USAGE', error.message, { cause: error }) : error;
  }
}

/** The ledger of a job, to be read: a temporary copy of the snapshot where there is no file here. */
export async function openToLook({
  ledger,
  ledgerCare: { snapshot },
}: Pick<ResolvedJob, 'ledger' | 'ledgerCare'>): Promise<ReadableLedger> {
  if (!snapshot || existsSync(ledger)) return hereAt(ledger);
  const { readSnapshot } = await import('../snapshot/open-keeper.ts');
  const fetched = await fetchToRead(snapshot.address, async (store, at) => {
    const { stored } = await readSnapshot(store, at, ledger);
    return stored?.key;
  });
  return fetched.from === undefined ? hereAt(ledger) : fetched;
}

function hereAt(path: string): ReadableLedger {
  return { path, async [Symbol.asyncDispose]() {} };
}

type JobStore = Awaited<ReturnType<typeof openJobStore>>;

async function fetchToRead(
  address: string,
  findKey: (store: JobStore['store'], at: JobStore['at']) => Promise<string | undefined>,
): Promise<ReadableLedger> {
  const { fetchLedger } = await import('../snapshot/copy-ledger.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const key = await findKey(store, at);
  if (key === undefined) return hereAt('');
  const folder = await mkdtemp(join(tmpdir(), 'dossier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'ledger.db');
  try {
    await fetchLedger(store, { ...at, key }, path, new AbortController().signal);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, from: address, [Symbol.asyncDispose]: remove };
}

/** A command that only reads waits this long for the store. */
const patienceMs = 10_000;

/** The snapshot of a job; null where it has none. A store that does not answer is part of the result. */
export async function describeSnapshots(
  { ledger, ledgerCare: { snapshot } }: Pick<ResolvedJob, 'ledger' | 'ledgerCare'>,
  now = Date.now(),
): Promise<z.output<typeof SnapshotJson> | null> {
  if (!snapshot) return null;
  const { address } = snapshot;
  const unknown = {
    address,
    storedAt: null,
    ageSeconds: null,
    answers: null,
    object: null,
    bytes: null,
    holder: null,
    here: null,
    callsAtRisk: 0,
  };
  try {
    const { stored, holder, here, callsAtRisk } = await readState(address, ledger);
    return {
      ...unknown,
      ...(stored && {
        storedAt: new Date(stored.storedAt).toISOString(),
        ageSeconds: Math.max(0, Math.round((now - stored.storedAt) / 1_000)),
        answers: stored.answers,
        object: stored.address,
        bytes: stored.size,
      }),
      holder: holder && {
        host: holder.host,
        pid: holder.pid,
        job: holder.job,
        since: new Date(holder.startedAt).toISOString(),
      },
      here,
      callsAtRisk,
      trouble: null,
    };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const message = error instanceof Error ? error.message : String(error);
    const late = `${address}: no answer in ${formatDuration(patienceMs)}`;
    return { ...unknown, trouble: withoutSecrets(isLate ? late : message) };
  }
}

async function readState(address: string, ledger: string) {
  const { readSnapshot } = await import('../snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  return await withTimeout(readSnapshot(store, at, ledger), patienceMs);
}

/** The same for people, a sentence a line. */
export function snapshotLines(snapshot: z.output<typeof SnapshotJson> | null): string[] {
  if (!snapshot) return [];
  const { address, storedAt, ageSeconds, answers, holder, here, callsAtRisk, trouble } = snapshot;
  if (trouble !== null) return [`Snapshot: not known just now. ${trouble}`];
  const newest =
    storedAt === null || ageSeconds === null
      ? `No snapshot yet at ${address}`
      : `Snapshot, ${formatDuration(ageSeconds * 1_000)} old (${minuteOf(Date.parse(storedAt))}), with ${counted(answers ?? 0, 'answer', 'answers')}: ${address}`;
  const cost = callsAtRisk === 0 ? 'nothing' : counted(callsAtRisk, 'call', 'calls');
  const local = {
    current: `A lost disk would cost ${cost}.`,
    missing: 'There is no ledger on this machine; the next run restores the snapshot.',
    other:
      'The ledger on this machine is not that of the snapshot. The next run renames it and restores the snapshot.',
  };
  return [
    newest,
    ...(holder
      ? [
          `Leased to ${holder.job} on ${holder.host} (process ${holder.pid}) since ${minuteOf(Date.parse(holder.since))}.`,
        ]
      : []),
    ...(here ? [local[here]] : []),
  ];
}

/** Opens the store of an address that a job or a command line names. */
export async function openJobStore(
  address: string,
): Promise<{ readonly store: ObjectStore; readonly at: ObjectAddress }> {
  const at = readObjectAddress(address);
  if (!at || at.key === '') {
    const message = `${address} is no address of an object, such as s3://bucket/leads/ledger.db.zst`;
    throw new DossierError('JOB_INVALID', message);
  }
  // Most commands name no store, and start sooner without its client.
  const { openObjectStore } = await import('../objects/open-object-store.ts');
  return { store: await openObjectStore(), at };
}
