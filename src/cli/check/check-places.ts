import { placesOf, type ResolvedPlace } from '../../job/places/resolve-places.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { assertNever } from '../../runtime/assert-never.ts';
import { fromHere } from '../terminal/text.ts';
import { checkWritable } from './check-writable.ts';

/** Looks at each place of a job as a run would write it; each of these throws, or says what it found. */
export function placeChecks(job: ResolvedJob): (() => Promise<string>)[] {
  return placesOf(job).map((place) => () => describePlace(place, job.name));
}

async function describePlace(place: ResolvedPlace, job: string): Promise<string> {
  switch (place.kind) {
    case 'folder':
      return await describeFolder(place.path);
    case 's3': {
      const { tryUpload } = await import('../../sinks/upload/prepare-upload.ts');
      // What varies comes after the part that is written to.
      await tryUpload(place.path, { job, run: '', date: '' });
      return `${place.path}, reachable and writable`;
    }
    case 'postgres': {
      const address = place.address.reveal(process.env);
      if (!address)
        return 'PostgreSQL: the variable with its address is empty, so nothing is loaded';
      const { tryLoad } = await import('../../sinks/postgres/prepare-load.ts');
      return `${await tryLoad(address, place.schema)}, reachable, with the rights to load`;
    }
    default:
      return assertNever(place);
  }
}

async function describeFolder(path: string): Promise<string> {
  // A run makes the folders named by variables, so the folder above them must be writable.
  const fixed = path.replace(/[/\\][^/\\]*\{(?:date|run|job)\}.*$/, '');
  await checkWritable(fixed);
  return `${fromHere(path)}, writable`;
}
