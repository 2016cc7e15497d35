import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { PlanJson } from '../../overview/plan.ts';
import { findJob, OfJob, requireShown, shownPath } from '../find-job.ts';
import { isFixUnfinished } from '../fixes/fixes.ts';
import { untilGone } from '../http.ts';
import { asArgument, type DossierProgram } from './dossier-program.ts';
import type { Runs } from './runs.ts';

/** What the user has agreed to; the run stops there. */
export const Agreed = z.object({
  calls: z.int().min(0),
  /** In the currency of the job; absent where a price is not set. */
  money: z.number().min(0).exactOptional(),
});

const Start = z.object({
  /** Tries the first rows only. */
  limit: z.int().min(1).max(1_000_000).optional(),
  /** Continues an unfinished run, also one that only looks up fixed rows. */
  goesOn: z.boolean().default(false),
  atMost: Agreed.optional(),
  /** Lets a list pass that was held. */
  accept: z.boolean().default(false),
});

/** The plan of the whole list, or of its first rows. */
const Planned = OfJob.extend({ limit: z.coerce.number().int().min(1).exactOptional() });

/** Pricing, starting, watching and stopping the runs of a job. */
export function addRunRoutes(api: FastifyInstance, runs: Runs, program: DossierProgram): void {
  // The page may leave before a plan is counted; its process then ends.
  api.get('/plan', async (request, reply) => {
    const { job: path, limit } = Planned.parse(request.query);
    requireShown(path);
    const part = limit === undefined ? [] : ['--limit', `${limit}`];
    const words = ['plan', asArgument(path), ...part];
    return PlanJson.parse(await program.ask(words, untilGone(reply)));
  });
  api.post('/run', async (request, reply) => {
    const path = shownPath(request.query);
    const { limit, goesOn, atMost, accept } = Start.parse(request.body ?? {});
    const job = findJob(path);
    const part = limit === undefined ? [] : ['--limit', `${limit}`];
    const isFix = goesOn && limit === undefined && isFixUnfinished(path);
    const words = [isFix ? 'fix' : 'run', asArgument(path), ...part];
    const planned = isFix ? [...words, '--dry-run'] : ['plan', asArgument(path), ...part];
    const agreed = goesOn ? stillNeeded(await program.ask(planned, untilGone(reply))) : atMost;
    runs.start(path, job, [...words, ...(accept ? ['--accept'] : []), ...limitFlags(job, agreed)]);
    return await reply.code(202).send({});
  });
  api.post('/stop', (request, reply) => {
    runs.stop(runs.findJob(OfJob.parse(request.query).job));
    reply.code(202).send({});
  });
  api.get('/state', (request) => runs.stateOf(runs.findJob(OfJob.parse(request.query).job)));
}

/** The plan of a run, or that of looking up fixed rows, which has more around it. */
const DryRun = z.union([z.object({ plan: PlanJson }).transform(({ plan }) => plan), PlanJson]);

/** What an unfinished run still needs. After a change it would start again, at another price. */
function stillNeeded(answer: unknown) {
  const { resumes, advisedBudget, price } = DryRun.parse(answer);
  if (resumes) return { calls: advisedBudget, ...(price && { money: price.withMargin }) };
  throw new DossierError(
    'RUN_OUTDATED',
    'the job, its list, its fixes or the age of its answers has changed since the run stopped',
  );
}

/** `--max-calls` overrides the budget of the job, which must hold all the same. */
export function limitFlags(
  { budget: { perStart = Number.POSITIVE_INFINITY } }: ResolvedJob,
  agreed: z.output<typeof Agreed> | undefined,
): string[] {
  if (!agreed) return [];
  const { calls, money } = agreed;
  const spend = money === undefined ? [] : ['--max-spend', `${money}`];
  return ['--max-calls', `${Math.min(calls, perStart)}`, ...spend];
}
