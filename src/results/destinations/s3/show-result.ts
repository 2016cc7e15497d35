import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import {
  type ObjectAddress,
  readObjectAddress,
  showObjectAddress,
} from '../../../platform/objects/object-address.ts';
import type { ObjectStore, PreparedObject } from '../../../platform/objects/open-object-store.ts';
import { manifestName, reportName } from '../../file-names.ts';
import { Manifest, type ManifestFile } from '../../manifest.ts';
import { laterThere } from '../../sink.ts';
import type { WriteOptions } from '../destination.ts';

export function addressOf(place: string): ObjectAddress {
  const address = readObjectAddress(place);
  if (address) return address;
  throw new DossierError('JOB_INVALID', `${place} is not a URL such as s3://bucket/prefix`);
}

export function objectIn({ bucket, key }: ObjectAddress, name: string): ObjectAddress {
  return { bucket, key: key === '' ? name : `${key}/${name}` };
}

/** `manifest` is undefined if a different Dossier version wrote it. */
export async function readPublished(store: ObjectStore, at: ObjectAddress, signal?: AbortSignal) {
  const found = await readJson(store, at, signal);
  if (!found) return undefined;
  const isComplete = (found.json as { complete?: unknown } | null)?.complete === true;
  return { etag: found.etag, isComplete, manifest: Manifest.safeParse(found.json).data };
}
export type PublishedResult = NonNullable<Awaited<ReturnType<typeof readPublished>>>;

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

/** Returns undefined if the object is no longer the one in `replaces`. */
async function putJson(
  store: ObjectStore,
  at: ObjectAddress,
  json: unknown,
  replaces: string | null,
) {
  const bytes = Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`);
  const type = 'application/json';
  try {
    return await store.put(at, bytes, { replaces, type });
  } catch (error) {
    if (!(error instanceof DossierError) || error.code !== 'STORE_UNCONDITIONAL') throw error;
    return await store.put(at, bytes, { type });
  }
}

export async function uploadFiles(
  store: ObjectStore,
  from: string,
  to: ObjectAddress,
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
) {
  const objects: PreparedObject[] = [];
  const unchanged: string[] = [];
  const bring = async (name: string, metadata: { sha256?: string } = {}) => {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    const path = join(from, name);
    objects.push(await store.prepare(objectIn(to, name), path, { type, metadata, signal }));
  };
  try {
    for (const file of files) {
      if (await isThere(store, to, file)) unchanged.push(file.name);
      else await bring(file.name, { sha256: file.sha256 });
    }
    if (await stat(join(from, reportName)).catch(() => undefined)) await bring(reportName);
    return { objects, unchanged };
  } catch (error) {
    for (const object of objects) await object.abort();
    throw error;
  }
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html; charset=utf-8',
};

/** An object overwritten by someone else no longer has our checksum in its metadata. */
async function isThere(
  store: ObjectStore,
  folder: ObjectAddress,
  { name, sha256, bytes }: ManifestFile,
) {
  const facts = await store.head(objectIn(folder, name));
  return facts?.size === bytes && facts.metadata.sha256 === sha256;
}

interface Result {
  readonly folder: ObjectAddress;
  readonly latestAt: ObjectAddress;
  readonly manifest: Manifest;
  readonly objects: readonly PreparedObject[];
  readonly unchanged: readonly string[];
  /** The result to replace. Writes fail if another process has replaced it first. */
  readonly published: PublishedResult | undefined;
  /** Old files, which would look like part of the new result. */
  readonly stale: readonly ManifestFile[];
}

/**
 * Removes the old manifest first and writes the new one last, because files without a manifest are
 * not a result.
 */
export async function showResult(store: ObjectStore, result: Result): Promise<void> {
  const { folder, manifest, objects, unchanged, published, stale } = result;
  const manifestAt = objectIn(folder, manifestName);
  const replaces = unchanged.length < manifest.files.length || stale.length > 0;
  let shown = 0;
  try {
    if (replaces) await withdraw(store, result, published?.etag);
    for (const object of objects) {
      await object.commit();
      shown += 1;
    }
  } finally {
    // A failed commit has already removed its upload, and a second abort is harmless.
    for (const object of objects.slice(shown)) await object.abort();
  }
  await removeFiles(store, folder, stale);
  const isStill = published && !replaces ? published.etag : null;
  if (await putJson(store, manifestAt, manifest, isStill)) return;
  // Another process was first, and its manifest may name a file that we replaced.
  const first = await readPublished(store, manifestAt);
  for (const file of first?.manifest?.files ?? []) {
    if (await isThere(store, folder, file)) continue;
    await withdraw(store, result, first?.etag);
    break;
  }
  throw cameSecond(folder);
}

function cameSecond(folder: ObjectAddress) {
  const address = showObjectAddress(folder);
  return new DossierError('OUTPUT_BUSY', `another process wrote to ${address} at the same time`);
}

const Latest = z.object({
  run: z.object({
    id: z.string(),
    startedAt: z.iso.datetime(),
    ledgerId: z.string().exactOptional(),
  }),
  job: z.string().optional(),
  manifest: z.string().optional(),
});

export async function readLatest(store: ObjectStore, latestAt: ObjectAddress) {
  const { etag = null, json } = (await readJson(store, latestAt)) ?? {};
  const latest = Latest.safeParse(json).data;
  return {
    etag,
    latest,
    received: latest && { ...latest.run, run: latest.run.id, job: latest.job },
  };
}

const mostAttempts = 5;

export async function writeLatest(
  store: ObjectStore,
  { folder, latestAt, manifest }: Result,
  { isLater, ifLater, facts }: Pick<WriteOptions, 'isLater' | 'ifLater' | 'facts'>,
) {
  const { run: id, startedAt, endedAt, ledgerId, job, schemaVersion, files, people } = manifest;
  const { total, ...byStatus } = manifest.rows;
  const { since: _, missing: _gap, ...changes } = manifest.changes;
  const latest = {
    run: { id, startedAt, endedAt, ...(ledgerId && { ledgerId }) },
    job,
    schemaVersion,
    manifest: showObjectAddress(objectIn(folder, manifestName)),
    files: files.map(({ name, table, format, rows, bytes, sha256 }) => {
      const address = showObjectAddress(objectIn(folder, name));
      return { table, format, address, rows, bytes, sha256 };
    }),
    counts: { rows: total, ...byStatus, people, changes },
  };
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const { etag, received: there } = await readLatest(store, latestAt);
    if (ifLater === 'leave' && (there?.run !== id || there.startedAt !== startedAt)) return;
    if (there && ifLater !== 'replace' && (there.job ?? job) === job && isLater(there)) {
      throw laterThere(facts, showObjectAddress(folder), there);
    }
    if (await putJson(store, latestAt, latest, etag)) return;
  }
  const address = showObjectAddress(latestAt);
  throw new DossierError('OUTPUT_BUSY', `other processes keep writing to ${address}`);
}

/** Keeps the run in `latest.json`, so an older run cannot replace that file. */
async function withdraw(
  store: ObjectStore,
  { folder, latestAt }: Result,
  etag: string | undefined,
) {
  const at = objectIn(folder, manifestName);
  if (etag !== undefined) {
    // Few stores support a conditional delete, so overwrite conditionally first.
    const note = { complete: false, note: 'The result that was here is being replaced.' };
    if (!(await putJson(store, at, note, etag))) throw cameSecond(folder);
    await store.remove(at);
  }
  const { etag: stored, latest } = await readLatest(store, latestAt);
  if (latest?.manifest !== showObjectAddress(at)) return;
  const note = 'The result of this run was removed, and the new result is not complete yet.';
  await putJson(store, latestAt, { run: latest.run, note }, stored);
}

export async function* resultsBelow(store: ObjectStore, fixed: ObjectAddress, job: string) {
  for await (const { key } of store.list(fixed)) {
    if (basename(key) !== manifestName) continue;
    const at = { bucket: fixed.bucket, key };
    const manifest = (await readPublished(store, at))?.manifest;
    if (manifest?.job !== job) continue;
    const folder = { ...at, key: dirname(key) };
    const remove = async () => {
      // Without a manifest, the other files are not a result.
      await store.remove(at);
      await store.remove(objectIn(folder, reportName));
      await removeFiles(store, folder, manifest.files);
    };
    yield { folder: showObjectAddress(folder), received: manifest, files: manifest.files, remove };
  }
}

/** Keeps files changed by a user. */
async function removeFiles(
  store: ObjectStore,
  folder: ObjectAddress,
  files: readonly ManifestFile[],
) {
  for (const file of files) {
    if (await isThere(store, folder, file)) await store.remove(objectIn(folder, file.name));
  }
}
