import { createReadStream } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import type { Download } from '../api/downloads.ts';
import type { Downloads } from '../downloads/downloads.ts';
import { findJob, OfRun } from '../find-job.ts';
import { untilGone } from '../http.ts';
import { FacetsChosen, tableOf } from './row-routes.ts';

const Query = z.object({
  table: z.literal('people').optional(),
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
export function addDownloadRoutes(api: FastifyInstance, downloads: Downloads): void {
  api.post('/downloads', async (request, reply): Promise<Download> => {
    const { job: path, run } = OfRun.parse(request.query);
    const of = tableOf(findJob(path), run);
    const query = Query.parse(request.body);
    const isPart = query.search !== '' || Object.keys(query.facets).length > 0;
    const name = [of.job, ...(query.table ? [query.table] : []), ...(isPart ? ['part'] : [])];
    return await downloads.make(`${name.join('-')}.${query.format}`, of, query, untilGone(reply));
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
