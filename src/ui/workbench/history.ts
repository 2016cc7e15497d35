import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { runName } from '../../engine/ledger/runs/runs.ts';
import { refusePrunedSince } from '../../engine/runs/choose-run.ts';
import { chooseRuns, openToCompare } from '../../facts/choose-runs.ts';
import { scanFolder } from '../../facts/folder.ts';
import { readExclusions } from '../../lists/read-suppressed.ts';
import { shellWord } from '../../platform/files/local-path.ts';
import { compareRuns } from '../../results/compare-runs.ts';
import { createChangeTally } from '../../results/tally/change-tally.ts';
import { readPastJob } from '../../run/jobs/read-job.ts';
import { readJobFacts } from '../../run/run-facts.ts';
import type { RunFacts } from '../../run/run-schemas.ts';
import { gatherChanges } from '../report/report-data.ts';
import type { HistoryJob } from './api/answers.ts';
import { findJob, jobPathIn, OfJob, RunId } from './find-job.ts';
import { problemOf, untilGone } from './http.ts';
import { saveJobAs } from './jobs/job-files.ts';

const SaveAs = z.object({ to: z.string().max(200) });

const TwoRuns = OfJob.extend({ from: RunId, to: RunId });

export function addHistoryRoutes(api: FastifyInstance): void {
  api.get('/history', readJobs);
  api.get('/changes', (request, reply) => {
    const { job, from, to } = TwoRuns.parse(request.query);
    return changesBetween(job, { from, to }, untilGone(reply));
  });
  api.post('/job-file', (request) => {
    return saveJobAs(jobPathIn(request.query), SaveAs.parse(request.body).to);
  });
}

const mostRuns = 200;

function readJobs(): HistoryJob[] {
  const { jobs, lists } = scanFolder(process.cwd());
  const known = new Map<string, HistoryJob>();
  for (const job of [...jobs, ...lists].flatMap(readPath)) {
    // A list and its job file may have the same name; the job file comes first.
    if (!known.has(job.name)) known.set(job.name, job);
  }
  const { ledger: path, ledgerPlace } = readPastJob(undefined, {});
  using ledger = openLedgerToRead(path);
  // The ledger of the user has jobs of other folders, too.
  const isHere = (name: string) =>
    ledgerPlace !== 'user' || ledger?.runs.newest(name)?.list.startsWith(join(process.cwd(), '/'));
  const others = (ledger?.runs.jobs() ?? []).filter((name) => !known.has(name) && isHere(name));
  const gone = others.map((name) => ({ path: null, name, runs: runsOf(path, name) }));
  return [...known.values(), ...gone].sort((one, other) => lastStart(other) - lastStart(one));
}

function readPath(path: string): HistoryJob[] {
  try {
    const { ledger, name } = readPastJob(path, {});
    const runs = runsOf(ledger, name);
    return runs.length > 0 ? [{ path, name, runs }] : [];
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return [{ path, name: path, runs: [], problem: problemOf(error) }];
  }
}

function runsOf(path: string, name: string): RunFacts[] {
  using ledger = openLedgerToRead(path);
  return ledger?.inTransaction(() => readJobFacts(ledger, path, name, mostRuns).facts) ?? [];
}

function lastStart({ runs: [newest] }: HistoryJob) {
  return Date.parse(newest?.startedAt ?? '') || 0;
}

/** A comparison pauses this often, so that other requests do not seem slow. */
const turnMs = 20;

async function changesBetween(
  path: string,
  wanted: { readonly from: number; readonly to: number },
  signal: AbortSignal,
) {
  const job = findJob(path);
  const { exclusions } = await readExclusions(job, signal);
  using ledger = openToCompare(job);
  const { base, run } = chooseRuns(ledger, job.name, wanted, Date.now());
  const tally = createChangeTally();
  if (base) {
    const changes = compareRuns(ledger.records(exclusions), { base, run }, job);
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
  const file = `\`dossier changes ${shellWord(path)} --from ${from} --to ${to}\``;
  return gatherChanges(tally.facts(), `${from}, up to ${to}`, file);
}
