import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { tryLockFile } from '../../ledger/file/locks.ts';
import { type ObjectAddress, showObjectAddress } from '../../objects/object-address.ts';
import { type ObjectStore, openObjectStore } from '../../objects/open-object-store.ts';
import { outputTrouble } from '../../runtime/files/atomic-file.ts';
import type { ManifestFacts } from '../manifest.ts';
import { type ExportOptions, prepareExport } from '../prepare-export.ts';
import type { PreparedExport } from '../sink.ts';
import { leftAsItIs, type RecordSource } from '../write-records.ts';
import {
  bringFiles,
  fixedFolder,
  folderOfResult,
  objectIn,
  type PathValues,
  readStanding,
  removeHeld,
  requireAddress,
  type StandingResult,
  showResult,
  writeLatest,
} from './show-result.ts';

export interface UploadOptions extends Omit<ExportOptions, 'folder' | 'findSame'> {
  /** `s3://bucket/prefix`, in which {date}, {run} and {job} may stand. */
  readonly path: string;
  /** When the run was last started, which gives {date}. */
  readonly startedAt: Date;
  /** Whether it is a run over the first rows only. */
  readonly isTry: boolean;
  /** What becomes of an incomplete result where a complete one stands. */
  readonly whenIncomplete: 'hold' | 'publish';
  /** Files wait beside it for their upload. */
  readonly ledger: string;
  /** Names the store and the credentials. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Writes a run and uploads it. Until `commit` the store shows what it showed; `abort` leaves nothing behind. */
export async function prepareUpload(
  source: RecordSource,
  options: UploadOptions,
): Promise<PreparedExport> {
  const { facts, formats, signal, startedAt, isTry } = options;
  const address = requireAddress(options.path);
  const date = startedAt.toISOString().slice(0, 10);
  const values = { job: facts.job.name, run: facts.run.id, date };
  const store = await openObjectStore(options.env);
  const close = () => store[Symbol.asyncDispose]();
  try {
    const { folder, standing } = await chooseFolder(store, address, values, options);
    const place = showObjectAddress(folder);
    const newer = newerThere(facts, standing);
    if (newer !== undefined) {
      await close();
      const why = `The result of ${facts.run.id} was not written, as it is older than ${newer}, which is there.`;
      return {
        place,
        commit: async () => leftAsItIs(place, facts.run.changesSince, why),
        abort: async () => {},
      };
    }
    const fixed = fixedFolder(address, values);
    await removeOldParts(store, fixed);
    await using staging = await openStagingFolder(options.ledger);
    const waiting = await prepareExport(source, { ...options, folder: staging.path });
    const staged = await waiting.commit();
    const brought = await bringFiles(store, staging.path, folder, staged.files, signal);
    const names = new Set(staged.files.map(({ name }) => name));
    const result = {
      folder,
      latestAt: objectIn(fixed, 'latest.json'),
      manifest: { ...facts, counts: staged.counts, files: [...staged.files] },
      files: brought.files,
      standing,
      stale: (standing?.manifest?.files ?? []).filter(
        (file) => !names.has(file.name) && formats.includes(file.format),
      ),
    };
    return {
      place,
      async commit() {
        try {
          const removed = await showResult(store, result);
          if (facts.complete && !isTry) {
            await writeLatest(store, result);
            await removeHeld(store, fixed, result.manifest);
          }
          return { ...staged, folder: place, removed, unchanged: brought.unchanged };
        } finally {
          await close();
        }
      },
      async abort() {
        try {
          for (const { object } of brought.files) await object.abort();
        } finally {
          await close();
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An incomplete result goes aside where a complete one stands. Held results are not uploaded at all. */
async function chooseFolder(
  store: ObjectStore,
  address: ObjectAddress,
  values: PathValues,
  { facts, isTry, whenIncomplete, signal }: UploadOptions,
) {
  const look = async (...aside: readonly string[]) => {
    const folders = isTry ? ['try', ...aside] : aside;
    const folder = folderOfResult(address, values, folders.join('/'));
    return {
      folder,
      standing: await readStanding(store, objectIn(folder, 'manifest.json'), signal),
    };
  };
  const place = await look();
  const mayStay = facts.complete || whenIncomplete === 'publish' || !place.standing?.isComplete;
  return mayStay ? place : await look(`held-${facts.run.id}`);
}

/** A newer run of the job is not replaced, unless it is incomplete and this one is not. */
function newerThere(
  { run, job, complete }: ManifestFacts,
  standing: StandingResult | undefined,
): string | undefined {
  const there = standing?.manifest;
  if (!there || there.job.name !== job.name || (complete && !there.complete)) return undefined;
  return Date.parse(there.run.startedAt) > Date.parse(run.startedAt) ? there.run.id : undefined;
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Of uploads whose processes were killed. The credentials may not allow to list them. */
async function removeOldParts(store: ObjectStore, { bucket, key }: ObjectAddress): Promise<void> {
  const below = { bucket, key: key === '' ? '' : `${key}/` };
  await store.removeParts(below, Date.now() - dayMs).catch(() => {});
}

/** Writes and removes a small object in the folder of results; throws where an upload would fail. */
export async function tryUpload(path: string, values: PathValues): Promise<void> {
  const folder = fixedFolder(requireAddress(path), values);
  await using store = await openObjectStore();
  const at = objectIn(folder, `dossier-check-${randomUUID()}`);
  await store.put(at, Buffer.from('Written and removed by dossier check.\n'));
  await store.remove(at);
}

/** Younger ones may be about to be locked. */
const leastAgeMs = 60_000;
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const lockName = 'staging.lock';

/** A folder beside the ledger for files on their way elsewhere: `ledger.db-upload-<id>/files`. */
export async function openStagingFolder(
  ledger: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  await removeLeftFolders(ledger);
  const folder = `${ledger}-upload-${randomUUID()}`;
  const path = join(folder, 'files');
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw outputTrouble(folder, error);
  }
  // The lock ends with the process, so the next one knows a leftover.
  const lock = tryLockFile(join(folder, lockName));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      lock?.[Symbol.dispose]();
    },
  };
}

/** Of processes that were killed. A folder that cannot be removed takes room and does no harm. */
async function removeLeftFolders(ledger: string): Promise<void> {
  const own = `${basename(ledger)}-upload-`;
  for (const name of await readdir(dirname(ledger)).catch(() => [])) {
    if (!name.startsWith(own) || !isId.test(name.slice(own.length))) continue;
    const folder = join(dirname(ledger), name);
    try {
      if (Date.now() - (await stat(folder)).mtimeMs < leastAgeMs) continue;
      using lock = tryLockFile(join(folder, lockName));
      if (lock) await rm(folder, { recursive: true, force: true });
    } catch {}
  }
}
