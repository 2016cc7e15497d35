import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../../core/errors.ts';
import { PlanJson } from '../../../facts/plan.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { findJob, jobPathIn, OfJob } from '../find-job.ts';
import { isFixUnfinished } from '../fixes.ts';
import { untilGone } from '../http.ts';
import type { DossierProgram } from './dossier-program.ts';
import type { Runs } from './runs.ts';

/** Limits that the user agreed to. */
const Agreed = z.object({
  calls: z.int().min(0),
  money: z.number().min(0).exactOptional(),
});

const Planned = z.object({
  limit: z.coerce.number().int().min(1).max(1_000_000).optional(),
  /** `rest` continues an unfinished run, including one of fixed rows. */
  of: z.enum(['list', 'fixes', 'rest']).default('list'),
});

const Start = Planned.extend({
  atMost: Agreed.optional(),
  /** The hash of the held list that the page showed, or `clock`. */
  accept: z
    .string()
    .regex(/^(?:[\da-f]{8}|clock)$/)
    .nullish(),
});

export function addRunRoutes(api: FastifyInstance, runs: Runs, program: DossierProgram): void {
  const plan = async (path: string, part: Part, reply: FastifyReply) => {
    const [command, flags] = isOfFixes(path, part)
      ? (['fix', ['--dry-run']] as const)
      : (['plan', firstRows(part)] as const);
    return DryRun.parse(await program.ask(command, [path], flags, untilGone(reply)));
  };
  api.get('/plan', async (request, reply) =>
    plan(jobPathIn(request.query), Planned.parse(request.query), reply),
  );
  api.post('/run', async (request, reply) => {
    const path = jobPathIn(request.query);
    const { atMost, accept, ...part } = Start.parse(request.body ?? {});
    const job = findJob(path);
    if (part.of === 'rest') requireRest(await plan(path, part, reply));
    const flags = [
      ...firstRows(part),
      ...(accept ? ['--accept', accept] : []),
      ...limitFlags(job, atMost),
    ];
    runs.start(path, job, isOfFixes(path, part) ? 'fix' : 'run', flags);
    return await reply.code(202).send({});
  });
  api.post('/stop', (request, reply) => {
    runs.stop(runs.findJob(OfJob.parse(request.query).job));
    reply.code(202).send({});
  });
  api.get('/state', (request) => runs.stateOf(runs.findJob(OfJob.parse(request.query).job)));
}

type Part = z.output<typeof Planned>;

function isOfFixes(path: string, { limit, of }: Part) {
  return of === 'fixes' || (of === 'rest' && limit === undefined && isFixUnfinished(path));
}

function firstRows({ limit }: Part) {
  return limit === undefined ? [] : ['--limit', `${limit}`];
}

/** `fix --dry-run` wraps the plan, `plan` does not. */
const DryRun = z.union([z.object({ plan: PlanJson }).transform(({ plan }) => plan), PlanJson]);

/** Throws if a new run would start instead, at a price that the user has not seen. */
function requireRest({ resumes }: PlanJson) {
  if (resumes) return;
  throw new DossierError(
    'RUN_OUTDATED',
    'the job, its list or its corrections changed, or answers expired, since the run stopped',
  );
}

/** `--max-calls` overrides the job's budget, so it must not be higher. */
function limitFlags(
  { budget: { perStart = Number.POSITIVE_INFINITY } }: ResolvedJob,
  agreed: z.output<typeof Agreed> | undefined,
) {
  if (!agreed) return [];
  const { calls, money } = agreed;
  const spend = money === undefined ? [] : ['--max-spend', `${money}`];
  return ['--max-calls', `${Math.min(calls, perStart)}`, ...spend];
}
