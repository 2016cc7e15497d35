import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ListCard, MadeJob } from '../api/lists.ts';
import { jobFileOf } from '../lists/draft-beside.ts';
import { listCards } from '../lists/list-cards.ts';
import { receiveList } from '../lists/receive-list.ts';

const Dropped = z.object({ name: z.string().max(1_000) });

export function addListRoutes(api: FastifyInstance): void {
  // A list is stored as it comes in: it may be larger than the memory.
  api.addContentTypeParser('application/octet-stream', (_request, bytes, done) =>
    done(null, bytes),
  );
  api.get('/lists', (): ListCard[] => listCards(process.cwd()));
  api.post('/lists', async (request, reply): Promise<MadeJob> => {
    const { name } = Dropped.parse(request.query);
    const list = await receiveList(process.cwd(), name, request.body as Readable);
    reply.code(201);
    return { job: await jobFileOf(list) };
  });
}
