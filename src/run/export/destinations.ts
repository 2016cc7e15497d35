import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import { destinationsOf, foldersOf } from '../../job/resolve-destinations.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { fromHere, shellWord } from '../../platform/files/local-path.ts';
import { createDestination } from '../../results/destinations/create-destination.ts';
import type { Destination } from '../../results/destinations/destination.ts';
import { fixedPart, pathValues, placesOf } from '../../results/destinations/places.ts';
import type { DestinationState, Manifest } from '../../results/manifest.ts';
import { lagText } from '../run-facts.ts';

export function createDestinations(job: ResolvedJob): Destination[] {
  return destinationsOf(job).map(createDestination);
}

export async function requireDestinations(job: ResolvedJob): Promise<void> {
  for (const destination of createDestinations(job)) await destination.require(job.name);
}

/** Loaded on demand, so `dossier plan` starts faster while there is no result yet. */
const loadFolders = () => import('../../results/destinations/folder/export-folder.ts');

export interface ReplacedResult {
  readonly folder: string;
  readonly run: string;
  readonly input: string;
  readonly rows: number;
}

/**
 * Finds a larger result of a different list, to which the user may have wanted to add rows. A list
 * without a job file may have become a different one under its name.
 */
export async function findReplaced(
  job: ResolvedJob,
  run: Run,
  rows: number,
): Promise<ReplacedResult | undefined> {
  for (const path of foldersOf(job)) {
    const folder = placesOf(path, pathValues(run)).result;
    if (!existsSync(join(folder, 'manifest.json'))) continue;
    const { readManifest } = await loadFolders();
    const last = await readManifest(folder);
    const isChanged = job.file === undefined && last !== undefined && isOtherList(last, run);
    const isOther = last?.list === run.inputName ? isChanged : (last?.rows.total ?? 0) > rows;
    if (!last || !isOther) continue;
    return { folder, run: last.run, input: last.list, rows: last.rows.total };
  }
  return undefined;
}

/** Other corrections, or a newer register, change the fingerprint of the same list. */
function isOtherList(last: Manifest, { inputSha256, corrections, registerSources }: Run) {
  const isReadAlike =
    last.corrections === (corrections?.applied ?? 0) &&
    isDeepStrictEqual(last.registerSources ?? null, registerSources);
  return isReadAlike && last.listFingerprint !== inputSha256;
}

/** A run replaces the rejects file, so changes that no `fix` has read are copied. Returns notes. */
export async function keepEditedRejects(job: ResolvedJob): Promise<string[]> {
  const notes: string[] = [];
  for (const path of foldersOf(job)) {
    const { readManifest, copyEdited } = await loadFolders();
    const folder = fixedPart(path, job.name);
    for (const file of (await readManifest(folder))?.files ?? []) {
      const copy = file.table === 'rejects' && (await copyEdited(folder, file));
      if (!copy) continue;
      const kept = fromHere(copy);
      notes.push(
        `${fromHere(join(folder, file.name))} has changes that a run does not read. They are kept in ${kept}; look them up with \`dossier fix <job> ${shellWord(kept)}\`.`,
      );
    }
  }
  return notes;
}

/** All but the main folder, without secrets. */
export function otherDestinations(
  job: ResolvedJob,
  run: Run,
  states: readonly DestinationState[] = [],
) {
  const others = job.output.isUnused ? destinationsOf(job) : job.otherDestinations;
  return others.map(createDestination).map((destination) => {
    const state = states.find(({ address }) => address === destination.name);
    return { address: destination.address(run), lag: state ? lagText(state) : '' };
  });
}
