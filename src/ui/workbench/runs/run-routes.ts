import type { FastifyInstance, FastifyReply } from 'fastify';
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
const Agreed = z.object({
  calls: z.int().min(0),
  /** Absent if a price is not set. */
  money: z.number().min(0).exactOptional(),
});

const Start = z.object({
  limit: z.int().min(1).max(1_000_000).optional(),
  /** Continues an unfinished run, also one that looks up fixed rows. */
  goesOn: z.boolean().default(false),
  /** Looks up fixed rows only. */
  fixes: z.boolean().default(false),
  atMost: Agreed.optional(),
  accept: z.boolean().default(false),
});

const Planned = OfJob.extend({
  limit: z.coerce.number().int().min(1).exactOptional(),
  fixes: z.stringbool().default(false),
});

export function addRunRoutes(api: FastifyInstance, runs: Runs, program: DossierProgram): void {
  // The process ends if the user leaves the page before the plan is ready.
  const plan = async (path: string, isFix: boolean, part: string[], reply: FastifyReply) => {
    const [command, flags] = isFix ? (['fix', ['--dry-run']] as const) : (['plan', part] as const);
    return DryRun.parse(await program.ask(command, path, flags, untilGone(reply)));
  };
  api.get('/plan', async (request, reply) => {
    const { job: path, limit, fixes } = Planned.parse(request.query);
    requireShown(path);
    return await plan(path, fixes, firstRows(limit), reply);
  });
  api.post('/run', async (request, reply) => {
    const path = shownPath(request.query);
    const { limit, goesOn, fixes, atMost, accept } = Start.parse(request.body ?? {});
    const job = findJob(path);
    const part = firstRows(limit);
    const isFix = fixes || (goesOn && limit === undefined && isFixUnfinished(path));
    const agreed = goesOn ? stillNeeded(await plan(path, isFix, part, reply)) : atMost;
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

/** After a change, a new run would start, at a price that the user has not seen. */
function stillNeeded({ resumes, advisedBudget, price }: PlanJson) {
  if (resumes) return { calls: advisedBudget, ...(price && { money: price.withMargin }) };
  throw new DossierError(
    'RUN_OUTDATED',
    'the job, its list, its corrections or the age of its answers changed since the run stopped',
  );
}

/** `--max-calls` overrides the job's budget, which must still hold. */
function limitFlags(
  { budget: { perStart = Number.POSITIVE_INFINITY } }: ResolvedJob,
  agreed: z.output<typeof Agreed> | undefined,
): string[] {
  if (!agreed) return [];
  const { calls, money } = agreed;
  const spend = money === undefined ? [] : ['--max-spend', `${money}`];
  return ['--max-calls', `${Math.min(calls, perStart)}`, ...spend];
}
