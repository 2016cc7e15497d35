import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import type { RunFacts } from '../../../results/manifest.ts';
import { readJobFacts } from '../../../run/run-facts.ts';
import { scanFolder } from '../../overview/folder.ts';
import { openRanJob } from '../../overview/jobs.ts';
import type { CardVerb, ListCard, MadeJob } from '../api/lists.ts';
import { shownPath, tryToOpen } from '../find-job.ts';
import { jobFileOf, removeList, renameList } from '../jobs/job-files.ts';
import { openLedgers } from '../runs/runs.ts';
import { receiveList } from './receive-list.ts';

const Dropped = z.object({ name: z.string().max(1_000) });
const Renamed = z.object({ to: z.string().trim().min(1).max(100) });

export function addListRoutes(api: FastifyInstance): void {
  // A list is stored as it comes in: it may be larger than the memory.
  api.addContentTypeParser('application/octet-stream', (_request, bytes, done) =>
    done(null, bytes),
  );
  api.get('/lists', () => listCards(process.cwd()));
  api.post('/lists', async (request, reply): Promise<MadeJob> => {
    const { name } = Dropped.parse(request.query);
    const list = await receiveList(process.cwd(), name, request.body as Readable);
    reply.code(201);
    return { job: await jobFileOf(list) };
  });
  api.patch('/lists', async (request): Promise<MadeJob> => {
    const { to } = Renamed.parse(request.body);
    return { job: await renameList(shownPath(request.query), to) };
  });
  api.delete('/lists', (request) => removeList(shownPath(request.query)));
}

/** The jobs of the folder, and the lists that no job reads: new ones first, then by their last run. */
function listCards(folder: string): ListCard[] {
  const { jobs, lists } = scanFolder(folder);
  // Most jobs share a ledger, which is opened once.
  using ledgers = openLedgers();
  const read = new Set(jobs.map((path) => tryToOpen(path)?.list));
  const bare = lists.filter((path) => !read.has(resolve(folder, path)));
  const cards = [...jobs, ...bare].map((path) => card(path, ledgers));
  const ranAt = ({ last }: ListCard) => last?.startedAt ?? '';
  const isNew = ({ last, problem }: ListCard) => last === null && problem === null;
  return cards.sort(
    (one, other) =>
      Number(isNew(other)) - Number(isNew(one)) || ranAt(other).localeCompare(ranAt(one)),
  );
}

function card(path: string, ledgers: ReturnType<typeof openLedgers>): ListCard {
  try {
    const job = openRanJob(path, {});
    const ledger = ledgers.of(job.ledger, true);
    const read = ledger && readJobFacts(ledger, job.ledger, job.name, 1);
    const { isRunning = false } = read ?? {};
    const last = read?.facts[0] ?? null;
    return {
      path,
      problem: null,
      isRunning,
      last,
      list: job.list === '-' ? null : basename(job.list),
      bytes: statSync(job.list, { throwIfNoEntry: false })?.size ?? null,
      verb: verbFor(isRunning, last),
    };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const { message: problem } = error;
    return { path, problem, list: null, bytes: null, isRunning: false, last: null, verb: 'read' };
  }
}

const unfinished: readonly RunFacts['state'][] = ['stopped', 'killed', 'incomplete'];

function verbFor(isRunning: boolean, last: RunFacts | null): CardVerb {
  if (isRunning) return 'watch';
  if (!last) return 'read';
  if (unfinished.includes(last.state)) return 'go on';
  if (last.state === 'superseded' || last.limit !== null) return 'read';
  return last.rows.invalid > 0 ? 'fix' : 'run again';
}
