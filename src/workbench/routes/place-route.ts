import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openJob } from '../../overview/jobs/open-job.ts';
import { readSpend } from '../../overview/spend/read-spend.ts';
import { dayAt } from '../../runtime/budget/calendar.ts';
import { packageVersion } from '../../runtime/package-path.ts';
import type { Place } from '../api/place.ts';
import { findJob, isReadOnly, requireShown } from '../jobs/find-job.ts';
import { serviceOf } from '../jobs/service-of.ts';

const Of = z.object({ job: z.string().optional() });

export function addPlaceRoute(api: FastifyInstance): void {
  api.get('/place', (request): Place => {
    const { job: path } = Of.parse(request.query);
    if (isReadOnly() && path !== undefined) return placeOf(findJob(path));
    if (path !== undefined) requireShown(path);
    // Without a job: what a list would be run with.
    return placeOf(openJob(path ?? 'any-list', {}));
  });
}

function placeOf(job: ResolvedJob): Place {
  const { service, limits, ledger, budget } = job;
  const { isSample, hasKey } = serviceOf(job);
  const now = Date.now();
  const spent = (since: string) =>
    readSpend({ jobs: [], by: ['day'], since, timezone: budget.timezone, ledger }, now).spend.total;
  const today = dayAt(now, budget.timezone).name;
  return {
    folder: process.cwd(),
    version: packageVersion(),
    isReadOnly: isReadOnly(),
    service: {
      host: isSample ? null : new URL(service.url).host,
      isSample,
      hasKey,
    },
    rate: limits.rate,
    spent: { today: spent(today), month: spent(`${today.slice(0, 7)}-01`) },
  };
}
