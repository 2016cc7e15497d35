import { placesOf, type ResolvedPlace } from '../../job/places/resolved-place.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { placeOf, shownPlace } from '../../sinks/postgres/connection/warehouse-address.ts';
import { addressOfRun } from './place-of-result.ts';

type Run = Parameters<typeof addressOfRun>[1];

/** Where a job brings the result of a run beside the folder that people look into, as people may see it. */
export function otherAddresses(job: ResolvedJob, run: Run): string[] {
  const others = placesOf(job).filter((place) => place.kind !== 'folder' || !isShown(place, job));
  return others.map((place) => addressOf(place, run));
}

function isShown(place: ResolvedPlace & { kind: 'folder' }, { output }: ResolvedJob): boolean {
  return !output.isLeftOut && place.path === output.path;
}

function addressOf(place: ResolvedPlace, run: Run): string {
  switch (place.kind) {
    case 'folder':
    case 's3':
      return addressOfRun(place.path, run);
    case 'postgres':
      return databaseAddress(place);
  }
}

/** A variable may not be set where results are only looked at. */
function databaseAddress({ address, schema }: ResolvedPlace & { kind: 'postgres' }): string {
  try {
    const revealed = address.reveal(process.env);
    if (revealed) return shownPlace(placeOf(revealed, schema));
  } catch {
    // Who runs the job is told.
  }
  return `PostgreSQL, schema ${schema}`;
}
