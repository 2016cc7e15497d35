import type { ResolvedJob } from '../../job/resolved-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';

/** Says that sample data answers; nothing for a real service. */
export function sampleDataText(service: string): string[] {
  if (service !== sampleData) return [];
  return ['SAMPLE DATA: made-up companies answer. --url or DOSSIER_URL names the service.'];
}

/** Says that a job over sample data shares nothing, where it was to share. */
export function unsharedText({ leavesShareOut }: ResolvedJob['service']): string[] {
  if (!leavesShareOut) return [];
  return ['Sample data is answered in this process, so nothing is shared through Redis.'];
}
