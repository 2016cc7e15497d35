import { z } from 'zod';
import { totalRows } from '../../core/rules/outcomes.ts';
import { microsPerUnit, type Price, priceFor } from '../../core/runtime/budget/money.ts';
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
} from '../../core/runtime/json/fields.ts';
import { runName } from '../../engine/ledger/runs/runs.ts';
import type { CallRange } from '../../engine/queue/plan-run.ts';
import { refreshText } from '../../job/job-flags.ts';
import { RunEnd } from '../../results/manifest.ts';
import type { Plan } from '../../run/open-run.ts';

const Range = z.object({
  least: count('Minimum calls; fewer only if several identifiers belong to the same company.'),
  mostIfFull: count('Maximum calls if the service returns full pages of people.'),
  most: count('Maximum calls, even if the service returns pages that are not full.'),
});

const amount = () => z.number().min(0);

const PlanPrice = z.object({
  currency: z.string(),
  least: amount().describe('Price of `calls.least`; 0 if only hits are charged.'),
  mostIfFull: amount(),
  most: amount(),
  withMargin: amount().describe('Price of `calls.mostIfFull` plus 10% for retries.'),
});

export const PlanJson = z.object({
  job: string('Name of the job.'),
  input: string('The list. If an unfinished run would be continued, the list that it read.'),
  sampleData: yesOrNo('True if answers would come from sample data instead of a real service.'),
  notes: strings(
    'Guesses about the list: a skipped title, an encoding, the columns that identify companies.',
  ),
  replaces: RunEnd.shape.replaced.describe(
    'The result that a run would replace, if it is larger and from a different list; otherwise null.',
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
  calls: Range.extend({
    companies: count('Company lookups, one for each distinct identifier.'),
    fallbacks: count('Maximum further lookups, if the lookups in `companies` find nothing.'),
    people: Range.describe('Calls that fetch pages of people.'),
  }).describe('Calls that a run would make.'),
  seconds: z
    .object({ least: z.number(), mostIfFull: z.number(), most: z.number() })
    .nullable()
    .describe('Duration of the calls at the current rate; null without a rate.'),
  rate: z
    .object({
      perSecond: numberOrNull('Requests per second at the start of a run; null without a limit.'),
      ceiling: numberOrNull('Highest rate, `limits.rate` in the job; null without a limit.'),
      reason: z
        .enum(['ceiling', 'other job', 'throttled', 'policy'])
        .describe(
          "What limits the rate. `ceiling`: the job's `limits.rate`. `other job`: a lower rate of another job with the same key. `throttled`: the service throttled earlier requests. `policy`: the service stated a lower rate.",
        ),
    })
    .describe('Requests per second.'),
  budget: z
    .object({
      perStart: countOrNull('Maximum requests each time the command starts.'),
      perDay: countOrNull('Maximum requests per day.'),
      perMonth: countOrNull('Maximum requests per month.'),
      spentToday: count('Requests so far today, by all jobs with the same key.'),
      spentThisMonth: count('Requests so far this month, by all jobs with the same key.'),
      left: count('Requests left in the budget that runs out first.'),
      freeAt: stringOrNull(
        'When the daily or monthly budget resets, ISO 8601. Null if `left` covers `calls.mostIfFull`, or if `perStart` runs out first.',
      ),
      verdict: z
        .enum(['enough', 'likely', 'perhaps', 'short'])
        .describe(
          '`enough`: `left` covers `calls.most`. `likely`: it covers `calls.mostIfFull`. `perhaps`: it covers `calls.least`. `short`: it covers less.',
        ),
    })
    .nullable()
    .describe("The job's budget, in requests that may be charged; null without a budget."),
  advisedBudget: count('`calls.mostIfFull` plus 10% for retries.'),
  price: PlanPrice.nullable().describe(
    "What the calls would cost at the job's `service.price`; null if a needed price is not set.",
  ),
});
export type PlanJson = z.output<typeof PlanJson>;

export interface PlanConditions {
  /** Set if the ledger knows a lower rate than the job's. */
  readonly lowered?: { perSecond: number; reason: PlanJson['rate']['reason'] } | undefined;
  readonly spent?: Readonly<Record<'day' | 'month', { requests: number; freeAtMs: number }>>;
}

export function planJson(
  { job, inputName, notes, replaces, held, clockAhead, resumed, rows, hits, calls }: Plan,
  { lowered, spent }: PlanConditions = {},
): PlanJson {
  const { companies, fallbacks, pages, ...range } = calls;
  const ceiling = job.limits.rate === 'none' ? null : job.limits.rate;
  const rate = lowered?.perSecond ?? ceiling;
  return {
    job: job.name,
    input: inputName,
    sampleData: job.service.isSample,
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
    calls: { ...range, companies, fallbacks, people: { ...pages } },
    seconds:
      rate === null
        ? null
        : {
            least: range.least / rate,
            mostIfFull: range.mostIfFull / rate,
            most: range.most / rate,
          },
    rate: { perSecond: rate, ceiling, reason: lowered?.reason ?? 'ceiling' },
    budget: budgetOf(job, range, spent),
    advisedBudget: withMargin(range.mostIfFull),
    price: priceOf(job.service.price, calls),
  };
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

/** Adds 10% for retries. */
function withMargin(calls: number) {
  return Math.ceil((calls * 11) / 10);
}

function budgetOf(
  { budget }: Plan['job'],
  range: CallRange,
  spent: PlanConditions['spent'],
): PlanJson['budget'] {
  const { perStart = null, perDay = null, perMonth = null } = budget;
  const { day, month } = spent ?? {};
  const limits = [
    { limit: perStart, used: 0, freeAtMs: undefined },
    // The month comes first: if both budgets are spent, requests start again with the next month.
    { limit: perMonth, used: month?.requests ?? 0, freeAtMs: month?.freeAtMs },
    { limit: perDay, used: day?.requests ?? 0, freeAtMs: day?.freeAtMs },
  ].flatMap(({ limit, used, freeAtMs }) =>
    limit === null ? [] : [{ left: Math.max(0, limit - used), freeAtMs }],
  );
  const [smallest] = limits.toSorted((one, other) => one.left - other.left);
  if (!smallest) return null;
  const { left, freeAtMs } = smallest;
  const stops = left < range.mostIfFull && freeAtMs !== undefined;
  return {
    perStart,
    perDay,
    perMonth,
    left,
    spentToday: day?.requests ?? 0,
    spentThisMonth: month?.requests ?? 0,
    freeAt: stops ? new Date(freeAtMs).toISOString() : null,
    verdict: verdictOn(left, range),
  };
}

function priceOf(price: Price | undefined, calls: Plan['calls']): PlanJson['price'] {
  const { companies, fallbacks, pages } = calls;
  const [company, person] = [priceFor(price, 'company'), priceFor(price, 'people')];
  const isUnknown =
    (companies + fallbacks > 0 && company.currency === '') ||
    (pages.most > 0 && person.currency === '');
  if (!price || isUnknown) return null;
  const cost = (lookups: number, people: number) =>
    (lookups * company.each + people * person.each) / microsPerUnit;
  return {
    currency: price.currency,
    least: price.charged === 'hits' ? 0 : cost(companies, pages.least),
    mostIfFull: cost(companies + fallbacks, pages.mostIfFull),
    most: cost(companies + fallbacks, pages.most),
    withMargin: cost(withMargin(companies + fallbacks), withMargin(pages.mostIfFull)),
  };
}

function verdictOn(requests: number, { least, mostIfFull, most }: CallRange) {
  if (requests >= most) return 'enough';
  if (requests >= mostIfFull) return 'likely';
  return requests >= least ? 'perhaps' : 'short';
}
