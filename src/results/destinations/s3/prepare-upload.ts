import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dayMs } from '../../../core/values/duration.ts';
import { tryLockFile } from '../../../platform/files/lock-file.ts';
import { type ObjectAddress, showObjectAddress } from '../../../platform/objects/object-address.ts';
import { type ObjectStore, openObjectStore } from '../../../platform/objects/open-object-store.ts';
import { Manifest, type ManifestHead } from '../../manifest.ts';
import {
  laterThere,
  type PreparedExport,
  type ReceivedRun,
  type RecordSource,
} from '../../sink.ts';
import type { WriteOptions } from '../destination.ts';
import { type FileOptions, makeOutputFolder, prepareExport } from '../folder/prepare-export.ts';
import {
  choosePlace,
  fixedPart,
  isOfPublishedRun,
  type Places,
  placesOf,
  removeHeld,
} from '../places.ts';
import {
  addressOf,
  objectIn,
  type PublishedResult,
  readLatest,
  readPublished,
  resultsBelow,
  showResult,
  uploadFiles,
  writeLatest,
} from './show-result.ts';

export interface UploadOptions extends Omit<WriteOptions, 'findSame'>, FileOptions {
  /** `s3://bucket/prefix`, with optional {date}, {run} and {job}. */
  readonly path: string;
  readonly whenIncomplete: 'hold' | 'publish';
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export async function prepareUpload(
  source: RecordSource,
  options: UploadOptions,
): Promise<PreparedExport> {
  const { facts, formats, signal } = options;
  const places = placesOf(options.path, options.pathValues);
  const fixed = addressOf(places.fixed);
  const store = await openObjectStore(options.env);
  const close = () => store[Symbol.asyncDispose]();
  try {
    const { folder, published, latestAt, latest, later } = await findShown(store, places, options);
    await removeOldParts(store, fixed);
    await using staging = await openStagingFolder(options.ledger);
    const received = lastReceived(facts, published, latest);
    const since = received && options.catchUp?.([received]);
    const waiting = await prepareExport(
      { ...source, ...since },
      { ...options, folder: staging.path },
    );
    const staged = await waiting.commit();
    const uploaded = await uploadFiles(store, staging.path, folder, staged.files, signal);
    const names = new Set(staged.files.map(({ name }) => name));
    const result = {
      folder,
      latestAt,
      manifest: Manifest.parse({ ...facts, ...staged }),
      ...uploaded,
      published,
      stale: (published?.manifest?.files ?? []).filter(
        (file) => !names.has(file.name) && formats.includes(file.format),
      ),
    };
    return {
      async commit() {
        try {
          await showResult(store, result);
          if (isOfPublishedRun(facts)) {
            await writeLatest(store, result, options);
            await removeHeld(resultsBelow(store, objectIn(fixed, 'held-'), facts.job), options);
          }
          const { unchanged } = uploaded;
          return { ...staged, folder: showObjectAddress(folder), unchanged, replaced: later };
        } finally {
          await close();
        }
      },
      async abort() {
        try {
          for (const object of uploaded.objects) await object.abort();
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

/** Throws if a later result is there and may not be replaced. */
async function findShown(store: ObjectStore, places: Places, options: UploadOptions) {
  const { facts, whenIncomplete, ifLater, signal } = options;
  const look = (place: string) =>
    readPublished(store, objectIn(addressOf(place), 'manifest.json'), signal);
  const holdsComplete = async (place: string) => (await look(place))?.isComplete ?? false;
  const place = await choosePlace(places, facts, whenIncomplete, holdsComplete);
  const [folder, published] = [addressOf(place), await look(place)];
  const latestAt = objectIn(addressOf(places.fixed), 'latest.json');
  const { received: latest } = await readLatest(store, latestAt);
  const later = ifLater === 'leave' ? undefined : findLater(options, published, latest);
  if (later && ifLater !== 'replace') throw laterThere(facts, showObjectAddress(folder), later);
  return { folder, published, latestAt, latest, later };
}

/**
 * Returns the run that the destination received before this one. So a second export of this run has
 * the same changes as the first.
 */
function lastReceived(
  { run, startedAt }: ManifestHead,
  published: PublishedResult | undefined,
  latest: ReceivedRun | undefined,
) {
  if (latest?.run !== run || latest.startedAt !== startedAt) return latest;
  const since = published?.manifest?.changes.since;
  return since ? { run: since } : undefined;
}

/** A complete run may replace a later incomplete one. */
function findLater(
  { facts, isLater }: UploadOptions,
  published: PublishedResult | undefined,
  latest: Awaited<ReturnType<typeof readLatest>>['received'],
): ReceivedRun | undefined {
  const there = published?.manifest;
  const isKept = there?.job === facts.job && (there.complete || !facts.complete);
  if (isKept && isLater(there)) return there;
  const isOurs = isOfPublishedRun(facts) && (latest?.job ?? facts.job) === facts.job;
  return latest && isOurs && isLater(latest) ? latest : undefined;
}

/** Ignores errors, because the credentials may not allow listing parts. */
async function removeOldParts(store: ObjectStore, { bucket, key }: ObjectAddress) {
  const below = { bucket, key: key === '' ? '' : `${key}/` };
  await store.removeParts(below, Date.now() - dayMs).catch(() => {});
}

export async function tryUpload(path: string, job: string): Promise<void> {
  await using store = await openObjectStore();
  const at = objectIn(addressOf(fixedPart(path, job)), `dossier-check-${randomUUID()}`);
  await store.put(at, Buffer.from('Written and removed by dossier check.\n'));
  await store.remove(at);
}

/** Each process locks its own folder, so it may remove files of a killed process there. */
async function openStagingFolder(ledger: string) {
  for (let slot = 1; ; slot += 1) {
    const path = `${ledger}-upload-${slot}`;
    makeOutputFolder(path);
    const lock = tryLockFile(`${path}.lock`);
    if (!lock) continue;
    const remove = () => rm(path, { recursive: true, force: true });
    await remove();
    return {
      path,
      async [Symbol.asyncDispose]() {
        using _lock = lock;
        await remove();
      },
    };
  }
}
