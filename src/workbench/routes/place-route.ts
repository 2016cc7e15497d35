import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readKey } from '../../job/read-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openJob } from '../../overview/jobs/open-job.ts';
import { readSpend } from '../../overview/spend/read-spend.ts';
import { packageVersion } from '../../runtime/package-path.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { Place } from '../api/place.ts';
import { requireShown } from '../jobs/find-job.ts';

const Of = z.object({ job: z.string().optional() });

export function addPlaceRoute(api: FastifyInstance): void {
  api.get('/place', (request): Place => {
    const { job: path } = Of.parse(request.query);
    if (path !== undefined) requireShown(path);
    // Without a job: what a list would be run with.
    return placeOf(openJob(path ?? 'any-list', {}));
  });
}

function placeOf({ service, limits, ledger, budget }: ResolvedJob): Place {
  const isSample = service.url === sampleData;
  const now = Date.now();
  const spent = (since: string) =>
    readSpend({ jobs: [], by: ['day'], since, timezone: budget.timezone, ledger }, now).spend.total;
  const today = new Date(now).toISOString().slice(0, 10);
  return {
    folder: process.cwd(),
    version: packageVersion(),
    service: {
      host: isSample ? null : new URL(service.url).host,
      isSample,
      hasKey: isSample || hasKey(service.key),
    },
    rate: limits.rate,
    spent: { today: spent(today), month: spent(`${today.slice(0, 7)}-01`) },
  };
}

function hasKey(source: ResolvedJob['service']['key']): boolean {
  try {
    return readKey(source, process.env) !== undefined;
  } catch {
    return false;
  }
}
