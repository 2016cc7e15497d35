import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { PlanJson } from '../../overview/plan/plan-json.ts';
import { untilGone } from '../http/until-gone.ts';
import { findJob } from '../jobs/find-job.ts';
import { isMendUnfinished } from '../mended/unfinished-mend.ts';
import type { DossierProgram } from '../runs/dossier-program.ts';
import type { RunDesk } from '../runs/run-desk.ts';
import { mostOfTry } from '../runs/try-rows.ts';
import { OfJob } from './of-run.ts';

const Start = z.object({
  /** Tries the first rows only. */
  limit: z.int().min(1).max(1_000_000).optional(),
  /** Goes on with what was begun, also where that only mends rows. */
  goesOn: z.boolean().default(false),
  /** Requests that the user has agreed to; the run stops there. */
  atMost: z.int().min(0).optional(),
});

interface RunParts {
  readonly desk: RunDesk;
  readonly program: Pick<DossierProgram, 'ask'>;
}

/** Starting, watching and stopping the runs of a job. */
export function addRunRoutes(api: FastifyInstance, { desk, program }: RunParts): void {
  const open = (request: FastifyRequest) => desk.findJob(OfJob.parse(request.query).job);
  api.post('/run', async (request, reply) => {
    const { job: path } = OfJob.parse(request.query);
    const { limit, goesOn, atMost } = Start.parse(request.body ?? {});
    const job = findJob(path);
    const isTakenUp = goesOn && limit === undefined;
    const words = [isTakenUp && isMendUnfinished(path) ? 'fix' : 'run', path];
    const agreed = isTakenUp
      ? leftToAsk(await program.ask([...words, '--dry-run'], untilGone(reply)))
      : atMost;
    const most = limit === undefined ? agreed : Math.min(atMost ?? mostOfTry, mostOfTry);
    desk.start(path, job, [
      ...words,
      ...(limit === undefined ? [] : ['--limit', `${limit}`]),
      ...(most === undefined ? [] : ['--max-calls', `${withinBudget(job, most)}`]),
    ]);
    return await reply.code(202).send({});
  });
  api.post('/stop', (request, reply) => {
    desk.stop(open(request));
    reply.code(202).send({});
  });
  api.get('/state', (request) => desk.stateOf(open(request)));
}

/** The plan of a run, or that of mending, which says more around it. */
const DryRun = z.union([z.object({ plan: PlanJson }).transform(({ plan }) => plan), PlanJson]);

/**
 * What going on would take. A job or list that has changed, or rows that were mended since, would begin
 * anew, at another price.
 */
function leftToAsk(answer: unknown): number {
  const plan = DryRun.parse(answer);
  if (plan.resumes) return plan.advisedBudget;
  throw new DossierError(
    'RUN_OUTDATED',
    'the job, its list, what is mended or the age of its answers has changed since the run was stopped',
  );
}

/** The flag comes before the budget of the job, which must hold all the same. */
export function withinBudget({ budget }: ResolvedJob, most: number): number {
  return Math.max(1, Math.min(most, budget.perStart ?? most));
}
