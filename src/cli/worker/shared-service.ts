import { DossierError } from '../../errors.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openJob } from '../../overview/jobs/open-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';

/** A service and key, and the Redis through which machines share them. */
export interface SharedService {
  /** The name of the job; undefined where none was given. */
  readonly job: string | undefined;
  readonly limits: ResolvedJob['limits'];
  readonly url: string;
  /** A secret, as is the address of Redis. */
  readonly key: string;
  readonly address: URL;
  /** What to tell the user about the key. */
  readonly warning?: string;
}

type ServiceFlags = Pick<JobFlags, 'url' | 'keyFile' | 'share' | 'rate' | 'concurrency'>;

/** Finds what is shared: by a job file or the list of a job, else by flags and environment alone. */
export function openSharedService(given: string | undefined, flags: ServiceFlags): SharedService {
  const isJob = given !== undefined && isJobPath(given);
  const { name, service, limits } = openJob(given ?? 'worker', flags);
  if (service.url === sampleData) {
    throw new DossierError(
      'USAGE',
      'sample data is answered in the process that asks, so nothing of it is shared: name a service with --url',
    );
  }
  const address = service.share?.address.reveal(process.env);
  if (!address) {
    throw new DossierError(
      'USAGE',
      'no Redis is named that machines share: --share, DOSSIER_SHARE or service.share of the job has its address',
    );
  }
  const key = readKey(service.key, process.env);
  return {
    job: given === undefined ? undefined : name,
    // The runs bring their rates, and the lowest holds: a default of the worker's own would slow them.
    limits: isJob || flags.rate !== undefined ? limits : { ...limits, rate: 'none' },
    ...{ url: service.url, key: key?.reveal() ?? '', address },
    ...(key?.warning !== undefined && { warning: key.warning }),
  };
}
