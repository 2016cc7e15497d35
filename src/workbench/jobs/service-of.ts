import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';

/** Who answers a job, and whether there is a key for it. The key itself never leaves the server. */
export function serviceOf({ service }: Pick<ResolvedJob, 'service'>): {
  readonly isSample: boolean;
  readonly hasKey: boolean;
} {
  const isSample = service.url === sampleData;
  return { isSample, hasKey: isSample || hasKey(service.key) };
}

function hasKey(source: ResolvedJob['service']['key']): boolean {
  try {
    return readKey(source, process.env) !== undefined;
  } catch {
    return false;
  }
}
