import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import {
  type ObjectAddress,
  readObjectAddress,
  showObjectAddress,
} from '../../objects/object-address.ts';
import type { ObjectStore, PreparedObject } from '../../objects/open-object-store.ts';
import { isOutputFile, Manifest, type ManifestFile } from '../manifest.ts';

/** The values of the placeholders in a path. */
export interface PathValues {
  readonly job: string;
  /** `r7` */
  readonly run: string;
  /** `2026-08-22` */
  readonly date: string;
}

export function requireAddress(path: string): ObjectAddress {
  const address = readObjectAddress(path);
  if (address) return address;
  throw new DossierError('JOB_INVALID', `${path} is not an address such as s3://bucket/prefix`);
}

/**
 * The folder of one result: `runs/{date} → runs/2026-08-22`. A result that is put aside lies before the
 * varying part, `runs/held-r7/2026-08-22`, so readers of `runs/2026-08-22` never find it.
 */
export function folderOfResult(
  { bucket, key }: ObjectAddress,
  values: PathValues,
  aside = '',
): ObjectAddress {
  const fixed = fixedPart(key, values);
  const whole = key.replace(placeholder, (_, name: keyof PathValues) => values[name]);
  return { bucket, key: joined(fixed, aside, whole.slice(fixed.length)) };
}

/** The folder of `latest.json` and of results put aside: all before the first folder that varies. */
export function fixedFolder({ bucket, key }: ObjectAddress, values: PathValues): ObjectAddress {
  return { bucket, key: joined(fixedPart(key, values)) };
}

export function objectIn({ bucket, key }: ObjectAddress, name: string): ObjectAddress {
  return { bucket, key: joined(key, name) };
}

const placeholder = /\{(date|run|job)\}/g;

function fixedPart(path: string, values: PathValues): string {
  const withJob = path.replaceAll('{job}', values.job);
  const varies = withJob.search(placeholder);
  return varies === -1 ? withJob : withJob.slice(0, withJob.lastIndexOf('/', varies) + 1);
}

/** Without empty parts: to a store `a//b` is another key than `a/b`. */
function joined(...parts: readonly string[]): string {
  return parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/');
}

/** Undefined where there is no manifest. One of another version of Dossier cannot be read as a whole. */
export async function readStanding(store: ObjectStore, at: ObjectAddress, signal?: AbortSignal) {
  const found = await readJson(store, at, signal);
  if (!found) return undefined;
  const isComplete = (found.json as { complete?: unknown } | null)?.complete === true;
  return { etag: found.etag, isComplete, manifest: Manifest.safeParse(found.json).data };
}
export type StandingResult = NonNullable<Awaited<ReturnType<typeof readStanding>>>;

/** A small JSON object of a store; null stands for one that is not JSON. */
async function readJson(store: ObjectStore, at: ObjectAddress, signal?: AbortSignal) {
  const read = await store.get(at, signal);
  if (!read) return undefined;
  const text = Buffer.concat(await Array.fromAsync(read.bytes)).toString('utf8');
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {}
  return { etag: read.facts.etag, json };
}

/** Undefined where the condition does not hold. A store that ignores conditions is written to in any case. */
async function putJson(
  store: ObjectStore,
  at: ObjectAddress,
  json: unknown,
  /** The etag of what stands there; null where nothing does. */
  replaces: string | null,
): Promise<{ readonly etag: string } | undefined> {
  const bytes = Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`);
  const type = 'application/json';
  try {
    return await store.put(at, bytes, { replaces, type });
  } catch (error) {
    if (!(error instanceof DossierError) || error.code !== 'STORE_UNCONDITIONAL') throw error;
    return await store.put(at, bytes, { type });
  }
}

/** A file that is in the store, and not visible yet. */
interface BroughtFile {
  readonly at: ObjectAddress;
  readonly object: PreparedObject;
  /** Undefined for the report, which no manifest names. */
  readonly sha256: string | undefined;
}

const reportName = 'report.html';
const manifestName = 'manifest.json';

/** Brings files, and the report if there is one, to their folder in the store, without showing them. */
export async function bringFiles(
  store: ObjectStore,
  from: string,
  to: ObjectAddress,
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
) {
  const brought: BroughtFile[] = [];
  const unchanged: string[] = [];
  const bring = async (name: string, sha256?: string) => {
    const path = join(from, name);
    const { size } = await stat(path);
    const at = objectIn(to, name);
    const source = { open: () => createReadStream(path), size };
    const metadata = sha256 === undefined ? {} : { sha256 };
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    const object = await store.prepare(at, source, { type, metadata, signal });
    brought.push({ at, object, sha256 });
  };
  try {
    for (const file of files) {
      if (await isThere(store, to, file)) unchanged.push(file.name);
      else await bring(file.name, file.sha256);
    }
    if (await stat(join(from, reportName)).catch(() => undefined)) await bring(reportName);
    return { files: brought, unchanged };
  } catch (error) {
    for (const { object } of brought) await object.abort();
    throw error;
  }
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  gz: 'application/gzip',
  zst: 'application/zstd',
  html: 'text/html; charset=utf-8',
};

/** Whether an object is this file. Its checksum is in its metadata, which a replacement replaces, too. */
async function isThere(
  store: ObjectStore,
  folder: ObjectAddress,
  { name, sha256, bytes }: ManifestFile,
): Promise<boolean> {
  const facts = await store.head(objectIn(folder, name));
  return facts?.size === bytes && facts.metadata.sha256 === sha256;
}

interface Result {
  readonly folder: ObjectAddress;
  readonly latestAt: ObjectAddress;
  readonly manifest: Manifest;
  readonly files: readonly BroughtFile[];
  /** The result found at the start. All writes are conditional on it. */
  readonly standing: StandingResult | undefined;
  /** Its files that would pass for part of the new result. */
  readonly stale: readonly ManifestFile[];
}

/**
 * Shows a result, the manifest last: files without a manifest are not a result. Where files are replaced, the
 * old manifest goes first. Of two processes at once, the second one throws. Returns the stale files removed.
 */
export async function showResult(store: ObjectStore, result: Result): Promise<string[]> {
  const { folder, latestAt, manifest, files, standing, stale } = result;
  const manifestAt = objectIn(folder, manifestName);
  const replaces = files.some(({ sha256 }) => sha256 !== undefined) || stale.length > 0;
  let shown = 0;
  try {
    if (standing && replaces) await removeManifest(store, folder, standing.etag);
    if (replaces) await withdrawLatest(store, latestAt, manifestAt);
    for (const { object } of files) {
      await object.commit();
      shown += 1;
    }
  } finally {
    // One that fails has removed itself, and cannot be removed again.
    for (const { object } of files.slice(shown)) await object.abort();
  }
  const removed: string[] = [];
  for (const file of stale) {
    // A file that somebody has changed is theirs.
    if (!(await isThere(store, folder, file))) continue;
    await store.remove(objectIn(folder, file.name));
    removed.push(file.name);
  }
  const isStill = standing && !replaces ? standing.etag : null;
  if (await putJson(store, manifestAt, manifest, isStill)) return removed;
  await refuteManifest(store, result);
  throw cameSecond(folder);
}

/** By a write that only one process can make, as few stores remove an object on a condition. */
async function removeManifest(store: ObjectStore, folder: ObjectAddress, etag: string) {
  const at = objectIn(folder, manifestName);
  const note = { complete: false, note: 'The result that stood here is being replaced.' };
  if (!(await putJson(store, at, note, etag))) throw cameSecond(folder);
  await store.remove(at);
}

/** Removes the manifest of the process that came first if one of its files has been replaced by ours. */
async function refuteManifest(store: ObjectStore, { folder, latestAt, files, manifest }: Result) {
  const manifestAt = objectIn(folder, manifestName);
  const first = await readStanding(store, manifestAt);
  const isOther = ({ name, sha256 }: ManifestFile) =>
    first?.manifest?.files.some((file) => file.name === name && file.sha256 !== sha256);
  const ours = manifest.files.filter(isOther);
  for (const { sha256 } of files) {
    const file = ours.find((other) => other.sha256 === sha256);
    if (first && file && (await isThere(store, folder, file))) {
      await removeManifest(store, folder, first.etag);
      await withdrawLatest(store, latestAt, manifestAt);
      return;
    }
  }
}

function cameSecond(folder: ObjectAddress): DossierError {
  const place = showObjectAddress(folder);
  return new DossierError('OUTPUT_BUSY', `another process has written to ${place} meanwhile`);
}

/** The part of `latest.json` that says which result is newer. */
const Latest = z.object({
  run: z.object({ id: z.string(), startedAt: z.iso.datetime() }),
  manifest: z.string().optional(),
});

const mostAttempts = 5;

/** Names the newest complete result in `latest.json`. */
export async function writeLatest(store: ObjectStore, { folder, latestAt, manifest }: Result) {
  const { run, job, schemaVersion, counts, files } = manifest;
  const latest = {
    run: { id: run.id, startedAt: run.startedAt, endedAt: run.endedAt },
    job: job.name,
    schemaVersion,
    manifest: showObjectAddress(objectIn(folder, manifestName)),
    files: files.map(({ name, table, format, rows, bytes, sha256 }) => {
      const address = showObjectAddress(objectIn(folder, name));
      return { table, format, address, rows, bytes, sha256 };
    }),
    counts,
  };
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const standing = await readJson(store, latestAt);
    const known = Latest.safeParse(standing?.json).data;
    // A run that is exported again must not take the place of a newer one.
    if (known && known.run.startedAt > run.startedAt) return;
    const isStill = standing?.etag ?? null;
    if (await putJson(store, latestAt, latest, isStill)) return;
  }
  const place = showObjectAddress(latestAt);
  throw new DossierError('OUTPUT_BUSY', `${place} is written by other processes all the time`);
}

/** Before its files are replaced. The run stays named, so that no older one takes its place meanwhile. */
async function withdrawLatest(
  store: ObjectStore,
  at: ObjectAddress,
  manifestAt: ObjectAddress,
): Promise<void> {
  const standing = await readJson(store, at);
  const known = Latest.safeParse(standing?.json).data;
  if (!standing || known?.manifest !== showObjectAddress(manifestAt)) return;
  const note = 'The result that was named here is replaced, and no complete one stands there yet.';
  await putJson(store, at, { run: known.run, note }, standing.etag);
}

/**
 * Removes results that were put aside, once a complete one of the same run or a later one is published.
 * `dossier export --run` writes them again. Folders with files of others stay.
 */
export async function removeHeld(
  store: ObjectStore,
  fixed: ObjectAddress,
  { run, job }: Manifest,
): Promise<void> {
  const { bucket } = fixed;
  const { key: beginning } = objectIn(fixed, 'held-');
  const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1);
  const isOurs = (name: string) =>
    isOutputFile(name) || name === reportName || name === manifestName;
  try {
    const held = new Map<string, string[]>();
    for await (const { key } of store.list({ bucket, key: beginning })) {
      const [id = '', ...rest] = key.slice(beginning.length).split('/');
      if (rest.length === 0 || !(runNumber(id) <= runNumber(run.id))) continue;
      held.set(id, [...(held.get(id) ?? []), key]);
    }
    for (const keys of held.values()) {
      if (!keys.every((key) => isOurs(nameOf(key)))) continue;
      const manifestKey = keys.find((key) => nameOf(key) === manifestName);
      const found = manifestKey && (await readJson(store, { bucket, key: manifestKey }));
      const owner = found && Manifest.safeParse(found.json).data?.job.name;
      if (manifestKey !== undefined && owner !== job.name) continue;
      // The manifest goes first: files without one are not a result.
      keys.sort((one, other) => Number(other === manifestKey) - Number(one === manifestKey));
      for (const key of keys) await store.remove({ bucket, key });
    }
  } catch {
    // What is left takes room and does no harm.
  }
}

/** `r7` → 7 */
function runNumber(name: string): number {
  return Number(/^r(\d+)$/.exec(name)?.[1] ?? Number.NaN);
}
