import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import type { Facets, RowNumbers, RowsPage, TableColumns } from '../api/rows.ts';
import type { WholeRow } from '../api/whole-row.ts';
import { findJob, OfRun } from '../find-job.ts';
import { cutForRow } from '../rows/cut-cell.ts';
import type { TableOf } from '../rows/open-tables.ts';
import type { TableDesk } from '../rows/table-desk.ts';

const whole = z
  .string()
  .regex(/^\d{1,9}$/, 'a whole number')
  .transform(Number);

const Columns = z.array(z.string());
export const FacetsChosen = z.record(z.string(), z.array(z.string()));

/** A part of the address that is JSON. */
export const jsonOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('no JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

const Table = OfRun.extend({ table: z.literal('people').optional() });

const Narrowed = Table.extend({
  search: z.string().default(''),
  facets: jsonOf(FacetsChosen).default({}),
});

const Opened = Narrowed.extend({ open: jsonOf(Columns).default([]) });

const Query = Narrowed.extend({
  sort: z.string().optional(),
  descending: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  columns: jsonOf(Columns).optional(),
  offset: whole.default(0),
  limit: whole.pipe(z.number().min(1).max(500)).default(100),
});

const OfColumns = z.object({
  columns: Columns,
  numbers: z.array(z.int().min(1)).max(500).optional(),
});
const mostColumnBytes = 16 * 1024 * 1024;

const Numbered = OfRun.extend({ number: whole });

/** The rows of a run as a table. */
export function addRowRoutes(api: FastifyInstance, desk: TableDesk): void {
  const find = openFinder();
  api.get('/columns', async (request): Promise<TableColumns> => {
    const { job, run, ...query } = Table.parse(request.query);
    return await desk.ask('columns', { of: tableOf(find(job), run), query });
  });
  const asked = (given: unknown) => {
    const { job, run, ...query } = Query.parse(given);
    return { of: tableOf(find(job), run), query };
  };
  api.get('/rows', async ({ query }): Promise<RowsPage> => await desk.ask('rows', asked(query)));
  // The names of many columns are longer than an address may be.
  api.post('/rows', { bodyLimit: mostColumnBytes }, async (request): Promise<RowsPage> => {
    const { of, query } = asked(request.query);
    const body = OfColumns.parse(request.body);
    return await desk.ask('rows', { of, query: { ...query, ...body } });
  });
  api.get('/row-numbers', async ({ query }): Promise<RowNumbers> => {
    const { index, numbers } = await desk.ask('find', asked(query));
    return { index, numbers: [...numbers] };
  });
  api.get('/facets', async (request): Promise<Facets> => {
    const { job, run, ...query } = Opened.parse(request.query);
    return await desk.ask('facets', { of: tableOf(find(job), run), query });
  });
  api.get('/row', async (request): Promise<WholeRow> => {
    const { job, run, number } = Numbered.parse(request.query);
    return cutForRow(await desk.ask('row', { of: tableOf(find(job), run), number }));
  });
}

/** A table that scrolls asks for many pages of one job, and reading its file takes longer than a page. */
const knownForMs = 1_000;

function openFinder() {
  const known = new Map<string, { readonly job: ResolvedJob; readonly until: number }>();
  return (path: string): ResolvedJob => {
    const found = known.get(path);
    if (found && Date.now() < found.until) return found.job;
    const job = findJob(path);
    known.clear();
    known.set(path, { job, until: Date.now() + knownForMs });
    return job;
  };
}

export function tableOf(job: ResolvedJob, run: number | undefined): TableOf {
  const { name, ledger, reference: names, reuse } = job;
  return { ledger, job: name, run, terms: { names, staleMs: reuse.staleOnFailureMs } };
}
