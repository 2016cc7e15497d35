import { DossierError } from '../../errors.ts';
import { showObjectAddress } from '../../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../../objects/object-store.ts';
import type { Manifest, ManifestFile } from '../manifest.ts';
import { type BroughtFile, isThere } from './bring-files.ts';
import { withdrawLatest } from './latest-result.ts';
import { putJson, readStanding, type StandingResult } from './standing-result.ts';

export interface Result {
  readonly manifestAt: ObjectAddress;
  /** `latest.json`, which may name the result that is replaced. */
  readonly latestAt: ObjectAddress;
  readonly manifest: Manifest;
  readonly files: readonly BroughtFile[];
  /** What was there when the work began; all is conditional on its being there still. */
  readonly standing: StandingResult | undefined;
  /** Files of it that would pass for part of the new result. */
  readonly stale: readonly { readonly at: ObjectAddress; readonly file: ManifestFile }[];
}

/**
 * Shows a result, the manifest last: what is there without a manifest is not there. Where files are
 * replaced, the old manifest goes first, and `latest.json` names it no longer. Of two processes that show a
 * result at once, one is told that it came second. Gives the names of the stale files that are gone.
 */
export async function showResult(store: ObjectStore, result: Result): Promise<string[]> {
  const { manifestAt, latestAt, manifest, files, standing, stale } = result;
  const replaces = files.some(({ sha256 }) => sha256 !== undefined) || stale.length > 0;
  let shown = 0;
  try {
    if (standing && replaces) await removeManifest(store, manifestAt, standing.etag);
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
  for (const { at, file } of stale) {
    // A file that somebody has changed is theirs.
    if (!(await isThere(store, at, file))) continue;
    await store.remove(at);
    removed.push(file.name);
  }
  const isStill = standing && !replaces ? { ifEtag: standing.etag } : { ifAbsent: true as const };
  if (await putJson(store, manifestAt, manifest, isStill)) return removed;
  await refuteManifest(store, result);
  throw cameSecond(manifestAt);
}

/** By a write that only one process can make, as few stores remove an object on a condition. */
async function removeManifest(store: ObjectStore, at: ObjectAddress, etag: string): Promise<void> {
  const note = { complete: false, note: 'The result that stood here is being replaced.' };
  if (!(await putJson(store, at, note, { ifEtag: etag }))) throw cameSecond(at);
  await store.remove(at);
}

/** Removes the manifest of the process that came first where a file of this one stands in its place. */
async function refuteManifest(
  store: ObjectStore,
  { manifestAt, latestAt, files, manifest }: Result,
): Promise<void> {
  const first = await readStanding(store, manifestAt);
  const isOther = ({ name, sha256 }: ManifestFile) =>
    first?.manifest?.files.some((file) => file.name === name && file.sha256 !== sha256);
  const ours = manifest.files.filter(isOther);
  for (const { at, sha256 } of files) {
    const file = ours.find((other) => other.sha256 === sha256);
    if (first && file && (await isThere(store, at, file))) {
      await removeManifest(store, manifestAt, first.etag);
      await withdrawLatest(store, latestAt, manifestAt);
      return;
    }
  }
}

function cameSecond(manifestAt: ObjectAddress): DossierError {
  const folder = showObjectAddress({
    ...manifestAt,
    key: manifestAt.key.split('/').slice(0, -1).join('/'),
  });
  return new DossierError('OUTPUT_BUSY', `another process has written to ${folder} meanwhile`);
}
