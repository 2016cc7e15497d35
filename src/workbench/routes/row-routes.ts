import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { FacetName, Facets, RowsPage, TableColumns } from '../api/rows.ts';
import type { WholeRow } from '../api/whole-row.ts';
import { findJob } from '../jobs/find-job.ts';
import { cutForRow } from '../rows/cut-cell.ts';
import { facetNames } from '../rows/index/facet-codes.ts';
import type { TableOf } from '../rows/open-tables.ts';
import type { TableDesk } from '../rows/table-desk.ts';
import { OfRun } from './of-run.ts';

const whole = z
  .string()
  .regex(/^\d{1,9}$/, 'a whole number')
  .transform(Number);

const Columns = z.array(z.string());
const Choice = z.partialRecord(z.enum(facetNames as [FacetName]), z.array(z.string()));
export const FacetsChosen = Choice.transform(chosen);

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

const Narrowed = OfRun.extend({
  search: z.string().default(''),
  facets: jsonOf(Choice).default({}),
});

const Query = Narrowed.extend({
  sort: z.string().optional(),
  descending: z.enum(['true', 'false']).default('false'),
  columns: jsonOf(Columns).optional(),
  offset: whole.default(0),
  limit: whole.pipe(z.number().min(1).max(500)).default(100),
  find: whole.optional(),
});

const OfColumns = z.object({ columns: Columns });
const mostColumnBytes = 16 * 1024 * 1024;

const Numbered = OfRun.extend({ number: whole });

/** The rows of a run as a table. */
export function addRowRoutes(api: FastifyInstance, desk: TableDesk): void {
  const find = openFinder();
  api.get('/columns', async (request): Promise<TableColumns> => {
    const { job, run } = OfRun.parse(request.query);
    return await desk.ask('columns', { of: tableOf(find(job), run) });
  });
  const readRows = async (asked: z.output<typeof Query>): Promise<RowsPage> => {
    const { job, run, descending, facets, ...rest } = asked;
    const query = { ...rest, facets: chosen(facets), descending: descending === 'true' };
    return await desk.ask('rows', { of: tableOf(find(job), run), query });
  };
  api.get('/rows', async ({ query }) => await readRows(Query.parse(query)));
  // The names of many columns are longer than an address may be.
  api.post('/rows', { bodyLimit: mostColumnBytes }, async ({ query, body }) => {
    const { columns } = OfColumns.parse(body);
    return await readRows({ ...Query.parse(query), columns });
  });
  api.get('/facets', async (request): Promise<Facets> => {
    const { job, run, search, facets } = Narrowed.parse(request.query);
    const query = { search, facets: chosen(facets) };
    return await desk.ask('facets', { of: tableOf(find(job), run), query });
  });
  api.get('/row', async (request): Promise<WholeRow> => {
    const { job: path, run, number } = Numbered.parse(request.query);
    const job = find(path);
    const { reference: names, reuse } = job;
    const terms = { names, staleMs: reuse.staleOnFailureMs };
    return cutForRow(await desk.ask('row', { of: tableOf(job, run), number, terms }));
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

export function tableOf({ name, ledger }: ResolvedJob, run: number | undefined): TableOf {
  return { ledger, job: name, run };
}

/** Facets for which something is chosen. */
function chosen(facets: Partial<Record<FacetName, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(facets).filter((entry): entry is [string, string[]] => entry[1] !== undefined),
  );
}
