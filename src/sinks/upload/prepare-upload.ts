import { showObjectAddress } from '../../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../../objects/object-store.ts';
import { openObjectStore } from '../../objects/open-object-store.ts';
import { leftAsItIs } from '../left-as-it-is.ts';
import type { Manifest, ManifestFacts } from '../manifest.ts';
import { type ExportOptions, prepareExport } from '../prepare-export.ts';
import type { PreparedExport } from '../prepared-export.ts';
import type { RecordSource } from '../write-records.ts';
import { bringFiles } from './bring-files.ts';
import { writeLatest } from './latest-result.ts';
import {
  fixedFolder,
  type PathValues,
  type PlaceKeys,
  placeKeys,
  runsTable,
} from './place-keys.ts';
import { removeHeld } from './remove-held.ts';
import { requireAddress } from './require-address.ts';
import { showResult } from './show-result.ts';
import { openStagingFolder } from './staging-folder.ts';
import { readStanding, type StandingResult } from './standing-result.ts';

export interface UploadOptions extends Omit<ExportOptions, 'folder' | 'findSame'> {
  /** `s3://bucket/prefix`, in which {table}, {date}, {run} and {job} may stand. */
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

/** Where a result goes, and what stands there. */
interface ChosenPlace {
  readonly keys: PlaceKeys;
  readonly manifestAt: ObjectAddress;
  readonly standing: StandingResult | undefined;
}

/**
 * Writes a run and brings it to a store of objects. Until `commit` what stands there is as it was, and
 * `abort` leaves nothing behind.
 */
export async function prepareUpload(
  source: RecordSource,
  options: UploadOptions,
): Promise<PreparedExport> {
  const { facts, formats, signal } = options;
  const address = requireAddress(options.path);
  const values = valuesOf(options);
  const store = await openObjectStore(options.env);
  try {
    const { keys, manifestAt, standing } = await choosePlace(store, address, options);
    const place = showObjectAddress(keys.folder);
    const newer = newerThere(facts, standing);
    if (newer !== undefined) {
      await store[Symbol.asyncDispose]();
      const why = `The result of ${facts.run.id} was not written, as it is older than ${newer}, which is there.`;
      return { place, commit: async () => leftAsItIs(place, facts, why), abort: async () => {} };
    }
    const fixed = fixedFolder(address, values);
    const latestAt = { ...fixed, key: [fixed.key, 'latest.json'].filter(Boolean).join('/') };
    await removeOldParts(store, fixed);
    await using staging = await openStagingFolder(options.ledger);
    const waiting = await prepareExport(source, { ...options, folder: staging.path });
    const staged = await waiting.commit();
    const from = { folder: staging.path, keys };
    const brought = await bringFiles(store, from, staged.files, signal);
    const files = staged.files.map((file) =>
      keys.isByTable
        ? { ...file, address: showObjectAddress(keys.file(file.table, file.name)) }
        : file,
    );
    const manifest: Manifest = { ...facts, counts: staged.counts, files };
    const names = new Set(files.map(({ name }) => name));
    const stale = (standing?.manifest?.files ?? [])
      .filter((file) => !names.has(file.name) && formats.includes(file.format))
      .map((file) => ({ at: keys.file(file.table, file.name), file }));
    const commit = async () => {
      const result = { manifestAt, latestAt, manifest, files: brought.files, standing, stale };
      const removed = await showResult(store, result);
      if (isPublished(options)) {
        await writeLatest(store, latestAt, manifest, keys, manifestAt);
        await removeHeld(store, fixed, { run: facts.run.id, job: facts.job.name });
      }
      return { ...staged, folder: place, files, removed, unchanged: brought.unchanged };
    };
    const abort = async () => {
      for (const { object } of brought.files) await object.abort();
    };
    return { place, commit: thenClose(store, commit), abort: thenClose(store, abort) };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

function valuesOf({ facts, startedAt }: UploadOptions): PathValues {
  const date = startedAt.toISOString().slice(0, 10);
  return { job: facts.job.name, run: facts.run.id, date };
}

/** An incomplete result goes aside where a complete one stands. What is held is brought to no store. */
async function choosePlace(
  store: ObjectStore,
  address: ObjectAddress,
  options: UploadOptions,
): Promise<ChosenPlace> {
  const { facts, isTry, whenIncomplete, signal } = options;
  const look = async (...aside: readonly string[]): Promise<ChosenPlace> => {
    const folders = isTry ? ['try', ...aside] : aside;
    const keys = placeKeys(address, valuesOf(options), folders.join('/'));
    const manifestAt = keys.file(runsTable, 'manifest.json');
    return { keys, manifestAt, standing: await readStanding(store, manifestAt, signal) };
  };
  const place = await look();
  const mayStay = facts.complete || whenIncomplete === 'publish' || !place.standing?.isComplete;
  return mayStay ? place : await look(`held-${facts.run.id}`);
}

/**
 * The newer run of the job whose result a run would replace. Others may be loading that by the `latest.json` which
 * names it; what is incomplete gives way to what is not.
 */
function newerThere(
  { run, job, complete }: ManifestFacts,
  standing: StandingResult | undefined,
): string | undefined {
  const there = standing?.manifest;
  if (!there || there.job.name !== job.name || (complete && !there.complete)) return undefined;
  return Date.parse(there.run.startedAt) > Date.parse(run.startedAt) ? there.run.id : undefined;
}

/** Whether it is the result of its job: complete and of the whole list. */
function isPublished({ facts, isTry }: UploadOptions): boolean {
  return facts.complete && !isTry;
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Of uploads whose processes were killed. They do no harm, and the credentials may not allow to list them. */
async function removeOldParts(store: ObjectStore, { bucket, key }: ObjectAddress): Promise<void> {
  const below = { bucket, key: key === '' ? '' : `${key}/` };
  await store.removeParts(below, { begunBefore: Date.now() - dayMs }).catch(() => {});
}

function thenClose<Result>(store: ObjectStore, act: () => Promise<Result>): () => Promise<Result> {
  return async () => {
    try {
      return await act();
    } finally {
      await store[Symbol.asyncDispose]();
    }
  };
}
