import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { runName } from '../../engine/ledger/runs/runs.ts';
import { refusePrunedSince } from '../../engine/queue/choose-run.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { compareRuns } from '../../results/changes.ts';
import { openChangeTally } from '../../results/tally/change-tally.ts';
import { chooseRuns, openToCompare } from '../overview/changes.ts';
import { readHistory } from '../overview/history.ts';
import { gatherChanges } from '../report/report-data.ts';
import { findJob, OfJob, RunId, shownPath } from './find-job.ts';
import { problemOf, untilGone } from './http.ts';
import { saveJobAs } from './jobs/job-files.ts';

const SaveAs = z.object({ to: z.string().max(200) });

const TwoRuns = OfJob.extend({ from: RunId, to: RunId });

export function addHistoryRoutes(api: FastifyInstance): void {
  api.get('/history', readJobs);
  api.get('/changes', (request, reply) => {
    const { job, from, to } = TwoRuns.parse(request.query);
    return changesBetween(findJob(job), { from, to }, untilGone(reply));
  });
  api.post('/job-file', (request) => {
    return saveJobAs(shownPath(request.query), SaveAs.parse(request.body).to);
  });
}

export function readJobs() {
  return readHistory(process.cwd()).map(({ problem, ...job }) => ({
    ...job,
    problem: problem ? problemOf(problem) : null,
  }));
}

/** Short enough that other requests do not seem slow. */
const turnMs = 20;

async function changesBetween(
  job: ResolvedJob,
  wanted: { readonly from: number; readonly to: number },
  signal: AbortSignal,
) {
  using ledger = openToCompare(job);
  const { base, run } = chooseRuns(ledger, job.name, wanted, Date.now());
  const tally = openChangeTally();
  if (base) {
    const changes = compareRuns(ledger, { base, run }, job);
    let turnEndsAt = 0;
    for (const change of changes) {
      tally.add(change);
      if (performance.now() < turnEndsAt) continue;
      await nextTurn();
      signal.throwIfAborted();
      turnEndsAt = performance.now() + turnMs;
    }
    refusePrunedSince(ledger, [base, run]);
  }
  const [from, to] = [runName({ id: wanted.from }), runName(run)];
  const file = `\`dossier changes --from ${from} --to ${to}\``;
  return gatherChanges(tally.facts(), `${from}, up to ${to}`, file);
}
