import { z } from 'zod';
import { totalRows } from '../core/rules/outcomes.ts';
import { confirmAbove } from '../core/values/defaults.ts';
import {
  count,
  countOrNull,
  counts,
  numberOrNull,
  string,
  stringOrNull,
  strings,
  time,
  yesOrNo,
} from '../core/values/fields.ts';
import { microsPerUnit } from '../core/values/money.ts';
import { runName } from '../engine/ledger/runs/runs.ts';
import { refreshText } from '../job/job-flags.ts';
import type { JobService } from '../job/resolved-job.ts';
import {
  type Estimate,
  estimateRun,
  type SpentInPeriods,
  termsOfCalls,
} from '../run/estimate-run.ts';
import type { Plan } from '../run/plan-job.ts';
import { RunEnd } from '../run/run-schemas.ts';

export const PlanJson = z.object({
  job: string('Name of the job.'),
  input: string('The list. If an unfinished run would be continued, the list that it read.'),
  sampleData: yesOrNo('True if answers would come from sample data instead of a real service.'),
  notes: strings(
    'Guesses about the list: a skipped title, an encoding, the columns that identify companies.',
  ),
  replaces: RunEnd.shape.replaced.describe(
    'The result that a run would replace, if it is larger and from a different list, or if a list without a job file has changed; otherwise null.',
  ),
  held: stringOrNull(
    'Why a run without `--accept` would be held before its first call; null if it would start.',
  ),
  accept: stringOrNull(
    'What `run --accept` needs: `clock` or the hash of the held list; null if not held.',
  ),
  refresh: stringOrNull(
    'What `--refresh` looks up again, such as `older-than 7d`; null without `--refresh`.',
  ),
  resumes: z
    .object({
      run: string('Id of the unfinished run.'),
      startedAt: time('When the unfinished run started.'),
      rowsSettled: count('Rows already done.'),
      rowsOpen: count('Rows still to look up.'),
    })
    .nullable()
    .describe('The unfinished run that would be continued; null if a new run would start.'),
  rows: z.object({
    total: count('Rows of the list.'),
    kinds: counts('Rows with an identifier, counted by the kind that is looked up first.'),
    rejects: counts('Rows without an identifier, counted by reason.'),
    duplicates: count('Rows with the same identifier as an earlier row. They share its call.'),
    open: count('Rows to look up: neither rejected nor already answered.'),
    suppressed: count(
      'Rows that `suppress` or `dossier forget` leaves out. `kinds` counts these rows, too.',
    ),
  }),
  answered: z
    .object({
      companies: count(
        'Found companies in the ledger that are recent enough for `reuse.companies`.',
      ),
      misses: count('Misses in the ledger that are recent enough for `reuse.misses`.'),
      peoplePages: count(
        'People search pages in the ledger that are recent enough for `reuse.people`.',
      ),
    })
    .describe('Calls saved by answers in the ledger.'),
  calls: z
    .object({
      expected: countOrNull(
        'Calls that the run will probably make, judged by earlier runs of the job; null if they do not show it.',
      ),
      most: count(
        'Maximum calls: `companies`, `fallbacks`, `people` and `repeats`, unless a budget ends the run before. A service that returns pages that are not full may need more; `run --max-calls` sets a hard limit.',
      ),
      certain: count(
        'Minimum calls, unless the run ends early: `companies`, and the searches of companies already found.',
      ),
      perFound: count('Further calls, at least, for each company that is found.'),
      companies: count('Company calls, one for each distinct identifier.'),
      fallbacks: count('Further calls, if the calls in `companies` find nothing.'),
      people: count('Pages of people, if every company is found and pages are full.'),
      repeats: count('Allowance for repeated calls: a tenth of the others.'),
    })
    .describe('Calls that a run would make.'),
  seconds: z
    .object({ expected: numberOrNull('Duration of `calls.expected`.'), most: z.number() })
    .nullable()
    .describe('Duration of the calls at the current rate; null without a rate.'),
  rate: z
    .object({
      perSecond: numberOrNull('Calls per second at the start of a run; null without a limit.'),
      ceiling: numberOrNull('Highest rate, of the job or service; null without a limit.'),
      reason: z
        .enum(['ceiling', 'other job', 'throttled'])
        .describe(
          'What limits the rate. `ceiling`: the limit of job or service. `other job`: a lower rate of another job with the same key. `throttled`: the service throttled earlier calls.',
        ),
    })
    .describe('Calls per second, of the service that takes longest.'),
  budget: z
    .object({
      perStart: countOrNull('Maximum calls each time the command starts.'),
      perDay: countOrNull('Maximum calls per day.'),
      perMonth: countOrNull('Maximum calls per month.'),
      spentToday: count(
        'Calls so far today at the address of the service, by all jobs on the ledger.',
      ),
      spentThisMonth: count(
        'Calls so far this month at the address of the service, by all jobs on the ledger.',
      ),
      left: count('Calls left in the budget that runs out first.'),
      freeAt: stringOrNull(
        'When the daily or monthly budget resets, ISO 8601. Null if `left` is enough, or if `perStart` runs out first.',
      ),
      verdict: z
        .enum(['enough', 'likely', 'perhaps', 'short'])
        .describe(
          '`enough`: `left` covers all calls of the worst case. `likely`: it covers `calls.expected`. `perhaps`: it covers `calls.companies`. `short`: it covers less.',
        ),
    })
    .nullable()
    .describe("The job's budget, in calls; null without a budget."),
  price: z
    .object({
      currency: z.string(),
      expected: numberOrNull('Price of `calls.expected`; null if earlier runs do not show it.'),
      most: z.number().min(0).describe('Price of `calls.most`.'),
      certain: z
        .number()
        .min(0)
        .describe('Price of `calls.certain`; 0 with several services, or if misses are free.'),
    })
    .nullable()
    .describe(
      "What the calls would cost at the job's `service.price`; null if a needed price is not set, or if its services have several currencies.",
    ),
  callTerms: strings(
    'What each call costs, and whether a miss or an empty page of people does. Empty without a price.',
  ),
  confirm: yesOrNo('True if `run` would ask in a terminal, because of `budget.confirmAbove`.'),
  priceWithoutPeople: z
    .object({
      currency: z.string(),
      most: z.number().min(0).describe('Price of the company calls.'),
      pages: count('Pages of people, without a price.'),
    })
    .nullable()
    .describe('Set if the price of company calls is set and that of pages of people is not.'),
  services: z
    .array(
      z.object({
        name: z.string(),
        companies: count('Calls that it certainly gets.'),
        fallbacks: count('Further calls, if calls before them find nothing.'),
        expected: numberOrNull('Calls to expect; null if earlier runs do not show it.'),
        most: count('Maximum calls, within the budgets of the service.'),
        price: z
          .object({
            currency: z.string(),
            expected: numberOrNull(
              'Price of `expected`; null if earlier runs do not show it, or people are searched.',
            ),
            most: z.number().min(0),
          })
          .nullable()
          .describe('What `most` would cost; null if a needed price is not set.'),
      }),
    )
    .optional()
    .describe('Calls of each service, in the order in which they are asked; absent for one.'),
});
export type PlanJson = z.output<typeof PlanJson>;

export interface PlanConditions {
  /** The budget of each service, if the ledger may know a lower one than the job. */
  readonly rates?: readonly { perSecond: number; reason: PlanJson['rate']['reason'] }[];
  readonly spent?: SpentInPeriods;
}

export function planJson(
  { job, inputName, notes, replaces, held, clockAhead, resumed, rows, hits, calls }: Plan,
  { rates, spent }: PlanConditions = {},
): PlanJson {
  const { budget, ...estimate } = estimateRun(job, calls, spent);
  return {
    job: job.name,
    input: inputName,
    sampleData: job.services[0].isSample,
    notes: [...notes],
    replaces: replaces ?? null,
    held: clockAhead ?? held?.why ?? null,
    accept: clockAhead ? 'clock' : (held?.hash ?? null),
    refresh: job.refresh ? refreshText(job.refresh) : null,
    resumes: resumed ? resumption(resumed) : null,
    rows: {
      total: [...rows.kinds, ...rows.reasons].reduce((sum, { rows: some }) => sum + some, 0),
      kinds: Object.fromEntries(rows.kinds.map(({ kind, rows: some }) => [kind, some])),
      rejects: Object.fromEntries(rows.reasons.map(({ reason, rows: some }) => [reason, some])),
      duplicates: rows.duplicates,
      open: rows.open,
      suppressed: rows.suppressed,
    },
    answered: { ...hits },
    ...estimate,
    callTerms: termsOfCalls(job),
    confirm: isHigh(estimate, job),
    ...paceOf(job, estimate, rates),
    budget: budget ? budgetOf(job, budget, spent) : null,
  };
}

/** A start asks before it spends that much. Sample data costs nothing. */
export function isHigh(
  { calls, price, services = [] }: Pick<Estimate, 'calls' | 'price' | 'services'>,
  { budget: { confirmAboveMicros }, services: [{ isSample }] }: JobService,
): boolean {
  const isAbove = [{ price, most: calls.most }, ...services].some((one) =>
    one.price ? one.price.most * microsPerUnit > confirmAboveMicros : one.most > confirmAbove.calls,
  );
  return isAbove && !isSample;
}

/** All services are asked at the same time, so the slowest one decides. */
function paceOf(
  job: Plan['job'],
  { calls, ...estimate }: Omit<Estimate, 'budget'>,
  rates: PlanConditions['rates'] = [],
): Pick<PlanJson, 'seconds' | 'rate'> {
  const paces = job.services.map((service, index) => {
    const { expected, most } = estimate.services?.[index] ?? calls;
    const ceiling = ceilingOf(job, service);
    const rate = rates[index] ?? { perSecond: ceiling, reason: 'ceiling' };
    const seconds = expected === null ? Infinity : expected / rate.perSecond;
    return { expected: seconds, most: most / rate.perSecond, rate, ceiling };
  });
  const [slowest] = paces.toSorted((one, other) => other.most - one.most);
  if (!slowest) throw new Error(`the job ${job.name} has no service`);
  const { perSecond, reason } = slowest.rate;
  const expected = Math.max(...paces.map((pace) => pace.expected));
  return {
    seconds: perSecond === Infinity ? null : { expected: finite(expected), most: slowest.most },
    rate: { perSecond: finite(perSecond), ceiling: finite(slowest.ceiling), reason },
  };
}

/** Infinity without a limit. */
export function ceilingOf(
  { limits }: Pick<Plan['job'], 'limits'>,
  { rate = limits.rate }: Plan['job']['services'][number],
): number {
  return rate === 'none' ? Infinity : rate;
}

function finite(number: number) {
  return Number.isFinite(number) ? number : null;
}

export function identifiedIn({ total, rejects }: PlanJson['rows']): number {
  return Object.values(rejects).reduce((left, rejected) => left - rejected, total);
}

function resumption({ run, rows }: NonNullable<Plan['resumed']>): PlanJson['resumes'] {
  return {
    run: runName(run),
    startedAt: new Date(run.startedAt).toISOString(),
    rowsSettled: totalRows({ rows }) - rows.open,
    rowsOpen: rows.open,
  };
}

function budgetOf(
  { budget: { perStart, perDay, perMonth } }: Plan['job'],
  { left, freeAtMs, verdict }: NonNullable<Estimate['budget']>,
  { day, month }: Partial<SpentInPeriods> = {},
): PlanJson['budget'] {
  return {
    perStart: perStart ?? null,
    perDay: perDay ?? null,
    perMonth: perMonth ?? null,
    left,
    spentToday: day?.requests ?? 0,
    spentThisMonth: month?.requests ?? 0,
    freeAt: freeAtMs === undefined ? null : new Date(freeAtMs).toISOString(),
    verdict,
  };
}
