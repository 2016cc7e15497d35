import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { RowsQuery } from '../api/rows.ts';
import type { WholeRow } from '../api/whole-row.ts';
import { findJob, OfRun } from '../find-job.ts';
import type { TableOf } from './run-table.ts';
import type { Tables } from './tables.ts';

/** The names of many columns are longer than an address may be. */
const mostQueryBytes = 16 * 1024 * 1024;

const Numbered = z.object({ number: z.coerce.number().pipe(z.int().min(1)) });

/** The rows of a run as a table. */
export function addRowRoutes(api: FastifyInstance, tables: Tables): void {
  for (const verb of ['columns', 'rows', 'facets', 'numbers'] as const) {
    api.post(`/${verb}`, { bodyLimit: mostQueryBytes }, ({ query, body }) =>
      tables.ask(verb, { of: tableOf(query), query: RowsQuery.parse(body ?? {}) }),
    );
  }
  api.get('/row', async ({ query }): Promise<WholeRow> => {
    const { number } = Numbered.parse(query);
    return await tables.ask('row', { of: tableOf(query), number });
  });
}

/** The table that a request is about. */
export function tableOf(query: unknown): TableOf {
  const { job, run } = OfRun.parse(query);
  const { name, ledger, reference: names, reuse } = findJob(job);
  return { ledger, job: name, run, terms: { names, staleMs: reuse.staleOnFailureMs } };
}
