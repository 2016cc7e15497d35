import { createReadStream } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { Download } from '../api/downloads.ts';
import type { DownloadDesk } from '../downloads/download-desk.ts';
import { readPeople } from '../downloads/read-people.ts';
import { untilGone } from '../http/until-gone.ts';
import { findJob } from '../jobs/find-job.ts';
import type { TableDesk } from '../rows/table-desk.ts';
import { OfRun } from './of-run.ts';
import { FacetsChosen, tableOf } from './row-routes.ts';

const Query = z.object({
  format: z.enum(['xlsx', 'csv', 'jsonl', 'parquet']),
  search: z.string().default(''),
  facets: FacetsChosen.default({}),
  sort: z.string().optional(),
  descending: z.boolean().default(false),
  columns: z.array(z.string()).min(1),
  delimiter: z.enum([',', ';', '\t']).default(','),
  isForSpreadsheet: z.boolean().default(false),
});

const types = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** Files of what the table shows. */
export function addDownloadRoutes(
  api: FastifyInstance,
  { tables, downloads }: { readonly tables: TableDesk; readonly downloads: DownloadDesk },
): void {
  api.post('/downloads', async (request, reply): Promise<Download> => {
    const { job: path, run } = OfRun.parse(request.query);
    const job = findJob(path);
    const of = tableOf(job, run);
    const { sort, facets, ...query } = Query.parse(request.body);
    const wanted = { ...query, facets, ...(sort !== undefined && { sort }) };
    const isPart = query.search !== '' || Object.keys(facets).length > 0;
    return await downloads.make(
      `${of.job}${isPart ? '-part' : ''}.${query.format}`,
      {
        find: () => tables.ask('find', { of, query: wanted }),
        reader: (found) => (numbers, inFile) =>
          tables.ask('records', {
            of: { ...of, run: found },
            ...{ numbers, query: wanted, tables: inFile },
          }),
        people: (found, signal) => readPeople({ ...peopleTerms(job), run: found }, signal),
      },
      wanted,
      untilGone(reply),
    );
  });
  api.get('/download', async (request, reply) => {
    const { id } = z.object({ id: z.string() }).parse(request.query);
    const file = downloads.take(id);
    if (!file) throw new DossierError('USAGE', 'this file was fetched already, or waited too long');
    const format = file.name.split('.').at(-1) as keyof typeof types;
    const stream = createReadStream(file.path);
    stream.on('close', () => file[Symbol.dispose]());
    return await reply
      .type(types[format])
      .header('Content-Length', file.bytes)
      .header('Content-Disposition', `attachment; filename="${file.name}"`)
      .send(stream);
  });
}

function peopleTerms({ ledger, reference: names, reuse }: ResolvedJob) {
  return { ledger, names, staleMs: reuse.staleOnFailureMs };
}
