import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readHistory } from '../../overview/history/read-history.ts';
import type { HistoryJob } from '../api/history.ts';
import { goneSignal } from '../http/gone-signal.ts';
import { changesBetween } from '../jobs/compare-runs.ts';
import { findJob } from '../jobs/find-job.ts';
import { historyJob } from '../jobs/history-run.ts';
import { OfJob } from './run-routes.ts';

/** `r7`, as every view calls a run. */
const RunId = z
  .string()
  .regex(/^r\d{1,15}$/, 'the name of a run, such as r7')
  .transform((name) => Number(name.slice(1)));

const TwoRuns = OfJob.extend({ from: RunId, to: RunId });

/** The runs of every job, and what differs between two of them. */
export function addHistoryRoutes(api: FastifyInstance): void {
  api.get('/history', (): HistoryJob[] => readHistory(process.cwd()).map(historyJob));
  api.get('/changes', (request) => {
    const { job, from, to } = TwoRuns.parse(request.query);
    return changesBetween(findJob(job), { from, to }, goneSignal(request.raw));
  });
}
