import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { openEventStream } from '../http/event-stream.ts';
import { findJob } from '../jobs/find-job.ts';
import { isMendUnfinished } from '../mended/unfinished-mend.ts';
import type { RunDesk } from '../runs/run-desk.ts';

/** Which job of the folder a request is about: the path of its file, or of a bare list. */
export const OfJob = z.object({ job: z.string() });

const Start = z.object({
  /** Tries the first rows only. */
  limit: z.int().min(1).max(1_000_000).optional(),
  /** Goes on with what was begun, also where that only mends rows. */
  goesOn: z.boolean().default(false),
});

const lookEveryMs = 500;

/** Starting, watching and stopping the runs of a job. */
export function addRunRoutes(api: FastifyInstance, desk: RunDesk): void {
  api.post('/run', (request, reply) => {
    const { job: path } = OfJob.parse(request.query);
    const { limit, goesOn } = Start.parse(request.body ?? {});
    desk.start(findJob(path), [
      goesOn && limit === undefined && isMendUnfinished(path) ? 'mend' : 'run',
      path,
      ...(limit === undefined ? [] : ['--limit', `${limit}`]),
    ]);
    reply.code(202).send({});
  });
  api.post('/stop', (request, reply) => {
    desk.stop(findJob(OfJob.parse(request.query).job));
    reply.code(202).send({});
  });
  api.get('/state', (request) => desk.stateOf(findJob(OfJob.parse(request.query).job)));
  api.get('/events', async (request, reply) => {
    const job = findJob(OfJob.parse(request.query).job);
    const { signal, send, close } = openEventStream(reply);
    let sent = '';
    try {
      while (!signal.aborted) {
        const state = desk.stateOf(job);
        const text = JSON.stringify(state);
        if (text !== sent) send('state', state);
        sent = text;
        await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
      }
    } finally {
      // A ledger that cannot be read for a moment must not leave a page with an old state for ever.
      close();
    }
  });
}
