import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { PlanJson } from '../../overview/plan.ts';
import { findJob, OfJob, requireShown, shownPath } from '../find-job.ts';
import { isFixUnfinished } from '../fixes/fixes.ts';
import { untilGone } from '../http.ts';
import type { DossierProgram } from './dossier-program.ts';
import type { Runs } from './runs.ts';

/** The user agreed to this much; the run stops there. */
export const Agreed = z.object({
  calls: z.int().min(0),
  /** Absent if a price is not set. */
  money: z.number().min(0).exactOptional(),
});

const Start = z.object({
  limit: z.int().min(1).max(1_000_000).optional(),
  /** Continues an unfinished run, also one that looks up fixed rows. */
  goesOn: z.boolean().default(false),
  atMost: Agreed.optional(),
  accept: z.boolean().default(false),
});

const Planned = OfJob.extend({ limit: z.coerce.number().int().min(1).exactOptional() });

export function addRunRoutes(api: FastifyInstance, runs: Runs, program: DossierProgram): void {
  // The process ends if the page leaves before the plan is ready.
  api.get('/plan', async (request, reply) => {
    const { job: path, limit } = Planned.parse(request.query);
    requireShown(path);
    return PlanJson.parse(await program.ask('plan', path, firstRows(limit), untilGone(reply)));
  });
  api.post('/run', async (request, reply) => {
    const path = shownPath(request.query);
    const { limit, goesOn, atMost, accept } = Start.parse(request.body ?? {});
    const job = findJob(path);
    const part = firstRows(limit);
    const isFix = goesOn && limit === undefined && isFixUnfinished(path);
    const plan = () =>
      program.ask(isFix ? 'fix' : 'plan', path, isFix ? ['--dry-run'] : part, untilGone(reply));
    const agreed = goesOn ? stillNeeded(await plan()) : atMost;
    const flags = [...part, ...(accept ? ['--accept'] : []), ...limitFlags(job, agreed)];
    runs.start(path, job, isFix ? 'fix' : 'run', flags);
    return await reply.code(202).send({});
  });
  api.post('/stop', (request, reply) => {
    runs.stop(runs.findJob(OfJob.parse(request.query).job));
    reply.code(202).send({});
  });
  api.get('/state', (request) => runs.stateOf(runs.findJob(OfJob.parse(request.query).job)));
}

function firstRows(limit: number | undefined): string[] {
  return limit === undefined ? [] : ['--limit', `${limit}`];
}

/** `fix --dry-run` wraps the plan, `plan` does not. */
const DryRun = z.union([z.object({ plan: PlanJson }).transform(({ plan }) => plan), PlanJson]);

/** After a change the run would start again at another price. */
function stillNeeded(answer: unknown) {
  const { resumes, advisedBudget, price } = DryRun.parse(answer);
  if (resumes) return { calls: advisedBudget, ...(price && { money: price.withMargin }) };
  throw new DossierError(
    'RUN_OUTDATED',
    'the job, its list, its corrections or the age of its answers changed since the run stopped',
  );
}

/** `--max-calls` overrides the job's budget, which must still hold. */
export function limitFlags(
  { budget: { perStart = Number.POSITIVE_INFINITY } }: ResolvedJob,
  agreed: z.output<typeof Agreed> | undefined,
): string[] {
  if (!agreed) return [];
  const { calls, money } = agreed;
  const spend = money === undefined ? [] : ['--max-spend', `${money}`];
  return ['--max-calls', `${Math.min(calls, perStart)}`, ...spend];
}
