import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import { readPastJob } from '../../../run/read-job.ts';
import { readJobFacts } from '../../../run/run-facts.ts';
import { scanFolder } from '../../overview/folder.ts';
import type { MadeJob } from '../api.ts';
import { jobPathIn, tryToOpen } from '../find-job.ts';
import { problemOf } from '../http.ts';
import { jobFileOf, removeList, renameList } from '../jobs/job-files.ts';
import { openLedgers } from '../runs/runs.ts';
import { receiveList } from './receive-list.ts';

const Dropped = z.object({ name: z.string().max(1_000) });
const Renamed = z.object({ to: z.string().trim().min(1).max(100) });

export function addListRoutes(api: FastifyInstance): void {
  // Streamed, because a list may be larger than memory.
  api.addContentTypeParser('application/octet-stream', (_request, bytes, done) =>
    done(null, bytes),
  );
  api.get('/lists', listCards);
  api.post('/lists', async (request, reply): Promise<MadeJob> => {
    const { name } = Dropped.parse(request.query);
    const list = await receiveList(process.cwd(), name, request.body as Readable);
    reply.code(201);
    return { job: await jobFileOf(list) };
  });
  api.patch('/lists', async (request): Promise<MadeJob> => {
    const { to } = Renamed.parse(request.body);
    return { job: await renameList(jobPathIn(request.query), to) };
  });
  api.delete('/lists', (request) => removeList(jobPathIn(request.query)));
}

/** Lists that never ran come first, then the others, newest run first. */
export function listCards() {
  const { jobs, lists } = scanFolder(process.cwd());
  // Opens each ledger once, because most jobs share one.
  using ledgers = openLedgers();
  const read = new Set(jobs.map((path) => tryToOpen(path)?.list));
  const bare = lists.filter((path) => !read.has(resolve(path)));
  const cards = [...jobs, ...bare].map((path) => cardOf(path, ledgers));
  const ranAt = ({ last }: (typeof cards)[number]) => last?.startedAt ?? '';
  const isNew = ({ last, problem }: (typeof cards)[number]) => !last && problem === undefined;
  return cards.sort(
    (one, other) =>
      Number(isNew(other)) - Number(isNew(one)) || ranAt(other).localeCompare(ranAt(one)),
  );
}

function cardOf(path: string, ledgers: ReturnType<typeof openLedgers>) {
  const none = { path, isRunning: false, last: undefined, list: undefined, bytes: undefined };
  try {
    const job = readPastJob(path, {});
    const ledger = ledgers.of(job.ledger);
    const read = ledger && readJobFacts(ledger, job.ledger, job.name, 1);
    return {
      path,
      problem: undefined,
      isRunning: read?.isRunning === true,
      last: read?.facts[0],
      list: job.list === '-' ? undefined : basename(job.list),
      bytes: statSync(job.list, { throwIfNoEntry: false })?.size,
    };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return { ...none, problem: problemOf(error) };
  }
}
