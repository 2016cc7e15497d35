import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import type { Download } from './api/answers.ts';
import { DownloadQuery } from './api/requests.ts';
import { untilGone } from './http.ts';
import { sourceOf } from './rows/row-routes.ts';
import type { Tables } from './rows/serve-tables.ts';
import { makeTemporaryFolder } from './temporary-files.ts';

/** A file not fetched within this time is deleted, because its tab may have been closed. */
const keptMs = 10 * 60_000;

const Fetched = z.object({ id: z.string() });

export function addDownloadRoutes(api: FastifyInstance, tables: Tables): Disposable {
  const waiting = new Map<string, { path: string; name: string; bytes: number; drop(): void }>();
  api.post('/downloads', async (request, reply): Promise<Download> => {
    const query = DownloadQuery.parse(request.body);
    const source = await sourceOf(request.query);
    const isPart = query.search !== '' || Object.keys(query.facets).length > 0;
    // Never the name of the list itself, which may be in the same folder.
    const words = [source.job, query.table ?? 'companies', ...(isPart ? ['part'] : [])];
    const name = `${words.join('-')}.${query.format}`;
    const { path: folder, [Symbol.dispose]: drop } = makeTemporaryFolder();
    const path = join(folder, 'download');
    const signal = untilGone(reply);
    signal.addEventListener('abort', drop);
    const written = await tables.ask('download', { source, query, path }).catch((error) => {
      drop();
      throw error;
    });
    signal.removeEventListener('abort', drop);
    const id = randomUUID();
    waiting.set(id, { path, name, bytes: written.bytes, drop });
    setTimeout(() => {
      waiting.get(id)?.drop();
      waiting.delete(id);
    }, keptMs).unref();
    return { id, name, ...written };
  });
  api.get('/download', async (request, reply) => {
    const { id } = Fetched.parse(request.query);
    const file = waiting.get(id);
    waiting.delete(id);
    if (!file)
      throw new DossierError(
        'USAGE',
        'this file has already been downloaded, or its download has expired',
      );
    const stream = createReadStream(file.path);
    stream.on('close', file.drop);
    return await reply
      .type('application/octet-stream')
      .header('Content-Length', file.bytes)
      .header('Content-Disposition', `attachment; filename="${file.name}"`)
      .send(stream);
  });
  return {
    [Symbol.dispose]() {
      for (const { drop } of waiting.values()) drop();
    },
  };
}
