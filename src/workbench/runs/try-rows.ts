import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { PlanJson } from '../../overview/plan/plan-json.ts';
import { microsPerUnit } from '../../runtime/budget/money.ts';

/** Requests of a try of the first rows: people need some more than there are rows, and never a surprise. */
export const mostOfTry = 50;

type Priced = { readonly service: Pick<ResolvedJob['service'], 'price'> };

/** The plan of the first rows, as a try carries it out: it is cut off after some requests. */
export function planOfTry(plan: PlanJson, { service: { price } }: Priced): PlanJson {
  const { calls } = plan;
  const dearest = price ? Math.max(price.companyMicros, price.peopleMicros) / microsPerUnit : 0;
  return {
    ...plan,
    calls: { ...calls, ...cut(calls, mostOfTry) },
    advisedBudget: Math.min(plan.advisedBudget, mostOfTry),
    price: plan.price && { ...plan.price, ...cut(plan.price, mostOfTry * dearest) },
  };
}

function cut({ least, mostIfFull }: { least: number; mostIfFull: number }, most: number) {
  return { least: Math.min(least, most), mostIfFull: Math.min(mostIfFull, most) };
}
