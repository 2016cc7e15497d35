import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { dayMs } from '../../../core/values/duration.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { versionOf } from '../../../lists/read-steady.ts';
import { readExclusions } from '../../../lists/read-suppressed.ts';
import { staleMsOf } from '../../../run/terms-of-job.ts';
import { RowsQuery } from '../api/requests.ts';
import { findJob, OfRun } from '../find-job.ts';
import type { TableSource } from './run-table.ts';
import type { Tables } from './serve-tables.ts';

/** Queries may name many columns, and corrections may have many cells. */
export const mostBodyBytes = 16 * 1024 * 1024;

const Numbered = z.object({ number: z.coerce.number().pipe(z.int().min(1)) });

export function addRowRoutes(api: FastifyInstance, tables: Tables): void {
  for (const verb of ['columns', 'rows', 'facets', 'numbers'] as const) {
    api.post(`/${verb}`, { bodyLimit: mostBodyBytes }, async ({ query, body }) =>
      tables.ask(verb, { source: await sourceOf(query), query: RowsQuery.parse(body ?? {}) }),
    );
  }
  api.get('/row', async ({ query }) => {
    const { number } = Numbered.parse(query);
    return await tables.ask('row', { source: await sourceOf(query), query: number });
  });
}

export async function sourceOf(query: unknown): Promise<TableSource> {
  const { job: path, run } = OfRun.parse(query);
  const job = findJob(path);
  const { name, ledger, reference, changes } = job;
  const exclusionsStamp = await stampOfExclusions(job);
  if (lastRead?.stamp !== exclusionsStamp) {
    lastRead = { stamp: exclusionsStamp, found: await readExclusions(job) };
  }
  const { exclusions } = lastRead.found;
  const terms = {
    reference,
    staleMs: staleMsOf(job),
    exclusions,
    exclusionsStamp,
    changes,
  };
  return { ledger, job: name, run, terms };
}

/** Exclusions are cached: each page of a table needs them, and a suppression list may be long. */
let lastRead:
  | { readonly stamp: string; readonly found: Awaited<ReturnType<typeof readExclusions>> }
  | undefined;

/** With `retain`, more records are left out each day, so the stamp includes the day. */
async function stampOfExclusions(job: ResolvedJob) {
  const { companiesMs, peopleMs } = job.retain;
  const isAged = Number.isFinite(Math.min(companiesMs, peopleMs));
  const day = isAged ? Math.floor(Date.now() / dayMs) : 0;
  const lists = await Promise.all(job.suppress.map(versionOf));
  return JSON.stringify([lists, companiesMs, peopleMs, day]);
}
