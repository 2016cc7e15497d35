import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import type { FacetName, Facets, RowsPage, TableColumns, WholeRow } from '../api/rows.ts';
import { findJob } from '../jobs/find-job.ts';
import { facetNames } from '../rows/index/facet-codes.ts';
import type { TableOf } from '../rows/open-tables.ts';
import type { TableDesk } from '../rows/table-desk.ts';

const OfRun = z.object({
  job: z.string(),
  run: z
    .string()
    .regex(/^r\d{1,15}$/, 'a run is called r7')
    .transform((name) => Number(name.slice(1)))
    .optional(),
});

const whole = z
  .string()
  .regex(/^\d{1,9}$/, 'a whole number')
  .transform(Number);

const Columns = z.array(z.string());
const Choice = z.partialRecord(z.enum(facetNames as [FacetName]), z.array(z.string()));

/** A part of the address that is JSON. */
const jsonOf = <Schema extends z.ZodType>(schema: Schema) =>
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
});

const Numbered = OfRun.extend({ number: whole });

/** The rows of a run as a table. */
export function addRowRoutes(api: FastifyInstance, desk: TableDesk): void {
  api.get('/columns', async (request): Promise<TableColumns> => {
    return await desk.ask('columns', { of: tableOf(OfRun.parse(request.query)).of });
  });
  api.get('/rows', async (request): Promise<RowsPage> => {
    const { job, run, descending, sort, columns, ...query } = Query.parse(request.query);
    const isDescending = descending === 'true';
    return await desk.ask('rows', {
      of: tableOf({ job, run }).of,
      query: {
        ...{ ...query, facets: chosen(query.facets), descending: isDescending },
        ...(sort !== undefined && { sort }),
        ...(columns !== undefined && { columns }),
      },
    });
  });
  api.get('/facets', async (request): Promise<Facets> => {
    const { job, run, search, facets } = Narrowed.parse(request.query);
    const query = { search, facets: chosen(facets) };
    return await desk.ask('facets', { of: tableOf({ job, run }).of, query });
  });
  api.get('/row', async (request): Promise<WholeRow> => {
    const { number, ...of } = Numbered.parse(request.query);
    const { of: table, terms } = tableOf(of);
    if (number === 0) throw new DossierError('USAGE', 'rows are counted from 1');
    return await desk.ask('row', { of: table, number, terms });
  });
}

function tableOf({ job: path, run }: { job: string; run?: number | undefined }) {
  const { name, ledger, reference, reuse } = findJob(path);
  const of: TableOf = { ledger, job: name, run };
  return { of, terms: { names: reference, staleMs: reuse.staleOnFailureMs } };
}

/** Facets for which something is chosen. */
function chosen(facets: Partial<Record<FacetName, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(facets).filter((entry): entry is [string, string[]] => entry[1] !== undefined),
  );
}
