import { placesOf } from '../../job/places/resolved-place.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

/** Refuses a job that names a database by a variable which is not set, before anything is asked or written. */
export function requireAddresses(job: Pick<ResolvedJob, 'output' | 'otherPlaces'>): void {
  for (const place of placesOf(job)) {
    if (place.kind === 'postgres') place.address.reveal(process.env);
  }
}
