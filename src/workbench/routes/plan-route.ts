import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { openJobToRead } from '../../overview/jobs/open-job.ts';
import { PlanJson } from '../../overview/plan/plan-json.ts';
import type { RunPlan } from '../api/plan.ts';
import { untilGone } from '../http/until-gone.ts';
import { requireShown } from '../jobs/find-job.ts';
import type { DossierProgram } from '../runs/dossier-program.ts';
import { planOfTry } from '../runs/try-rows.ts';
import { OfJob } from './of-run.ts';

/** Of the whole list, or of its first rows. */
const Planned = OfJob.extend({ limit: z.coerce.number().int().min(1).exactOptional() });

/** What a run would take. A plan that the page no longer waits for is given up. */
export function addPlanRoute(api: FastifyInstance, program: Pick<DossierProgram, 'ask'>): void {
  api.get('/plan', async (request, reply): Promise<RunPlan> => {
    const { job: path, limit } = Planned.parse(request.query);
    requireShown(path);
    const part = limit === undefined ? [] : ['--limit', `${limit}`];
    const plan = await program.ask(['run', path, '--dry-run', ...part], untilGone(reply));
    const whole = PlanJson.parse(plan);
    return limit === undefined ? whole : planOfTry(whole, openJobToRead(path, {}));
  });
}
