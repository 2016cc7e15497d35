import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { type Download, DownloadQuery } from './api.ts';
import { untilGone } from './http.ts';
import { tableOf } from './rows/row-routes.ts';
import type { Tables } from './rows/tables.ts';
import { makeTemporaryFolder } from './temporary-files.ts';

/** A closed tab never fetches its file, so the file is removed. */
const keptMs = 10 * 60_000;

const Fetched = z.object({ id: z.string() });

/** Each file is fetched once. Disposing removes the files that were not fetched. */
export function addDownloadRoutes(api: FastifyInstance, tables: Tables): Disposable {
  const waiting = new Map<
    string,
    Disposable & Pick<Download, 'name' | 'bytes'> & { path: string }
  >();
  api.post('/downloads', async (request, reply): Promise<Download> => {
    const query = DownloadQuery.parse(request.body);
    const of = await tableOf(request.query);
    const isPart = query.search !== '' || Object.keys(query.facets).length > 0;
    const words = [of.job, ...(query.table ? [query.table] : []), ...(isPart ? ['part'] : [])];
    const name = `${words.join('-')}.${query.format}`;
    const folder = makeTemporaryFolder();
    const path = join(folder.path, 'download');
    const signal = untilGone(reply);
    signal.addEventListener('abort', folder[Symbol.dispose]);
    const written = await tables.ask('download', { of, query, path }).catch((error) => {
      folder[Symbol.dispose]();
      throw error;
    });
    signal.removeEventListener('abort', folder[Symbol.dispose]);
    const id = randomUUID();
    waiting.set(id, { path, name, bytes: written.bytes, [Symbol.dispose]: folder[Symbol.dispose] });
    setTimeout(() => {
      waiting.get(id)?.[Symbol.dispose]();
      waiting.delete(id);
    }, keptMs).unref();
    return { id, name, ...written };
  });
  api.get('/download', async (request, reply) => {
    const { id } = Fetched.parse(request.query);
    const file = waiting.get(id);
    waiting.delete(id);
    if (!file) throw new DossierError('USAGE', 'this file was already downloaded, or has expired');
    const stream = createReadStream(file.path);
    stream.on('close', () => file[Symbol.dispose]());
    return await reply
      .type('application/octet-stream')
      .header('Content-Length', file.bytes)
      .header('Content-Disposition', `attachment; filename="${file.name}"`)
      .send(stream);
  });
  return {
    [Symbol.dispose]() {
      for (const file of waiting.values()) file[Symbol.dispose]();
    },
  };
}
