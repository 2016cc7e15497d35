import type { FastifyInstance } from 'fastify';
import { PlanJson } from '../../overview/plan/plan-json.ts';
import type { RunPlan } from '../api/plan.ts';
import { untilGone } from '../http/until-gone.ts';
import { requireShown } from '../jobs/find-job.ts';
import type { DossierProgram } from '../runs/dossier-program.ts';
import { OfJob } from './of-run.ts';

/** What a run would take. A plan that the page no longer waits for is given up. */
export function addPlanRoute(api: FastifyInstance, program: Pick<DossierProgram, 'ask'>): void {
  api.get('/plan', async (request, reply): Promise<RunPlan> => {
    const { job: path } = OfJob.parse(request.query);
    requireShown(path);
    const plan = await program.ask(['run', path, '--dry-run'], untilGone(reply));
    return PlanJson.parse(plan);
  });
}
