import { type Stats, statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import { scanFolder } from '../../../facts/folder.ts';
import { inspectSample } from '../../../facts/lists.ts';
import { readPastJob } from '../../../run/jobs/read-job.ts';
import { readJobFacts, spentBy } from '../../../run/run-facts.ts';
import type { KnownList, ListCard, MadeJob } from '../api/answers.ts';
import { isSampleNow, jobPathIn, requireShown, tryToOpen } from '../find-job.ts';
import { problemOf } from '../http.ts';
import { jobFileOf, removeList, renameList, replaceList } from '../jobs/job-files.ts';
import { type OpenLedgers, openLedgers } from '../runs/runs.ts';
import { takeSample } from './look-at-list.ts';
import { isSame, nameIn, receiveList } from './receive-list.ts';

const Dropped = z.object({
  name: z.string().max(1_000),
  /** `new`, or the job whose list is replaced. If absent, a list that looks known is asked about. */
  as: z.string().max(1_000).optional(),
});
const Renamed = z.object({ to: z.string().trim().min(1).max(100) });

export function addListRoutes(api: FastifyInstance): void {
  // Streamed, because a list may be larger than memory.
  api.addContentTypeParser('application/octet-stream', (_request, bytes, done) =>
    done(null, bytes),
  );
  api.get('/lists', listCards);
  api.post('/lists', async (request, reply): Promise<MadeJob | KnownList> => {
    const { name, as } = Dropped.parse(request.query);
    const folder = process.cwd();
    return await receiveList(folder, name, request.body as Readable, async (received) => {
      if (as === undefined) {
        const known = await findKnown(received);
        if (known) return known;
      }
      reply.code(201);
      if (as === undefined || as === 'new') {
        return { job: await jobFileOf(await nameIn(folder, received.name, received.path)) };
      }
      requireShown(as);
      return { job: await replaceList(as, received) };
    });
  });
  api.patch('/lists', async (request): Promise<MadeJob> => {
    const { to } = Renamed.parse(request.body);
    return { job: await renameList(jobPathIn(request.query), to) };
  });
  api.delete('/lists', (request) => removeList(jobPathIn(request.query)));
}

/** A list that this one may replace: it has the same name, or the same columns. */
async function findKnown(received: Parameters<typeof replaceList>[1]): Promise<KnownList | null> {
  const { path, name, header } = received;
  const { jobs, lists } = scanFolder(process.cwd());
  using ledgers = openLedgers();
  const columns = [...header].sort().join('\n');
  let found: KnownList | null = null;
  let hasRun = false;
  for (const jobOrList of [...jobs, ...lists]) {
    const job = tryToOpen(jobOrList);
    if (!job || !lists.includes(relative(process.cwd(), job.list))) continue;
    const isNamed = basename(job.list).toLowerCase() === name.toLowerCase();
    const last = ledgers.at(job.ledger)?.runs.newest(job.name);
    const known = isNamed ? header : (last?.columns ?? (await headerOf(job.list)));
    if (known.toSorted().join('\n') !== columns && !isNamed) continue;
    // The same file again is neither new nor a replacement.
    if (isNamed && (await isSame(path, job.list))) return null;
    // A list that has run has a history to keep.
    if (isNamed || !found || (last && !hasRun))
      found = { known: jobOrList, by: isNamed ? 'name' : 'columns' };
    hasRun ||= last !== undefined;
    if (isNamed) return found;
  }
  return found;
}

async function headerOf(list: string) {
  const sample = await takeSample(list).catch(() => undefined);
  return sample ? inspectSample(sample).header : [];
}

/** The last run first; a list that never ran counts from the time of its file. */
function listCards(): ListCard[] {
  const { jobs, lists } = scanFolder(process.cwd());
  // Opens each ledger once, because most jobs share one.
  using ledgers = openLedgers();
  const read = new Set(jobs.map((path) => tryToOpen(path)?.list));
  const bare = lists.filter((path) => !read.has(resolve(path)));
  const cards = [...jobs, ...bare].map((path) => cardOf(path, ledgers));
  const usedAt = ({ last, changedAt }: ListCard) => last?.startedAt ?? changedAt;
  return cards.sort((one, other) => usedAt(other).localeCompare(usedAt(one)));
}

function cardOf(path: string, ledgers: OpenLedgers): ListCard {
  const changedAt = timeOf(statSync(path, { throwIfNoEntry: false })) ?? '';
  const none = { path, changedAt, isRunning: false, runs: 0, last: undefined, list: undefined };
  try {
    const job = readPastJob(path, {});
    const ledger = ledgers.at(job.ledger);
    const read = ledger && readJobFacts(ledger, job.ledger, job.name, 1);
    const file = statSync(job.list, { throwIfNoEntry: false });
    return {
      path,
      changedAt: timeOf(file) ?? none.changedAt,
      problem: undefined,
      isRunning: read?.isRunning === true,
      runs: read?.runs.length ?? 0,
      last: read?.facts[0],
      spent: ledger && read ? spentBy(ledger, read.runs) : '',
      isSample: isSampleNow(path),
      list: job.list === '-' ? undefined : basename(job.list),
      bytes: file?.size,
    };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return { ...none, bytes: undefined, spent: '', isSample: false, problem: problemOf(error) };
  }
}

function timeOf(file: Stats | undefined) {
  return file?.mtime.toISOString();
}
