import { placesOf } from '../../job/places/resolved-place.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { requirePackages } from '../../runtime/optional-packages.ts';

/**
 * Refuses a job that names a database by a variable which is not set, or a place whose packages are not
 * installed, before anything is asked or written.
 */
export function requirePlaces(job: Pick<ResolvedJob, 'output' | 'otherPlaces'>): void {
  for (const place of placesOf(job)) {
    if (place.kind === 'postgres') {
      place.address.reveal(process.env);
      requirePackages('postgres');
    } else if (place.kind === 's3') {
      requirePackages('s3://');
    }
  }
}
