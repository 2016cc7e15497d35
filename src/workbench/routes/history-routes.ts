import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readHistory } from '../../overview/history/read-history.ts';
import type { HistoryJob } from '../api/history.ts';
import { problemOf } from '../http/answer-errors.ts';
import { untilGone } from '../http/until-gone.ts';
import { changesBetween } from '../jobs/compare-runs.ts';
import { findJob, requireShown } from '../jobs/find-job.ts';
import { jobFile, jobUnderName, saveJobAs } from '../jobs/save-job.ts';
import { OfJob, RunId } from './of-run.ts';

const SaveAs = z.object({
  to: z.string().max(200),
  comment: z.string().max(10_000).default(''),
  /** Nothing is written. */
  isDry: z.boolean().default(false),
});

const TwoRuns = OfJob.extend({ from: RunId, to: RunId });

/** The runs of every job, what differs between two of them, and a job under another name. */
export function addHistoryRoutes(api: FastifyInstance): void {
  api.get('/history', (): HistoryJob[] =>
    readHistory(process.cwd()).map(({ trouble, ...job }) => ({
      ...job,
      problem: trouble ? problemOf(trouble) : null,
    })),
  );
  api.get('/changes', (request, reply) => {
    const { job, from, to } = TwoRuns.parse(request.query);
    return changesBetween(findJob(job), { from, to }, untilGone(reply));
  });
  api.get('/job-file', (request) => {
    const { job } = OfJob.parse(request.query);
    requireShown(job);
    return jobFile(job);
  });
  api.post('/job-file', (request) => {
    const { job } = OfJob.parse(request.query);
    const { to, comment, isDry } = SaveAs.parse(request.body);
    requireShown(job);
    return (isDry ? jobUnderName : saveJobAs)(job, to, comment);
  });
}
