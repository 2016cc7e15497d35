import { z } from 'zod';
import { totalRows } from '../../core/rules/outcomes.ts';
import { microsPerUnit, type Price, priceFor } from '../../core/runtime/budget/money.ts';
import {
  count,
  countOrNull,
  string,
  stringOrNull,
  time,
  yesOrNo,
} from '../../core/runtime/json/fields.ts';
import { sampleData } from '../../core/runtime/sample-data.ts';
import { runName } from '../../engine/ledger/runs/runs.ts';
import type { CallRange } from '../../engine/queue/draft-run.ts';
import { refreshText } from '../../job/job-flags.ts';
import { RunEnd } from '../../results/manifest.ts';
import type { Plan } from '../../run/open-run.ts';

const Range = z.object({
  least: count(
    'Those that are certain. Fewer are made only where one answer turns out to serve several of them.',
  ),
  mostIfFull: count(
    'The most that can follow while the service fills the pages of people that it is asked for.',
  ),
  most: count('The most that can follow in any case.'),
});

const amount = () => z.number().min(0);

const PlanPrice = z.object({
  currency: z.string(),
  least: amount().describe('The price of calls.least, or 0 where only hits are charged.'),
  mostIfFull: amount(),
  most: amount(),
  withMargin: amount().describe('The price of mostIfFull, with a tenth more calls of each kind.'),
});

/** What `plan --json` prints. */
export const PlanJson = z.object({
  job: string('Name of the job.'),
  input: string('The list that was read, or that the unfinished run has read.'),
  sampleData: yesOrNo('Whether the bundled sample data would answer, and no real service.'),
  notes: z
    .array(z.string())
    .describe(
      'What was guessed of the list: a title that is skipped, an encoding, the columns that identify companies.',
    ),
  replaces: RunEnd.shape.replaced.describe(
    'The larger result of another list that a run would replace; null where there is none.',
  ),
  held: stringOrNull(
    'Why a run would be held before its first call, unless it has --accept; null where it would not.',
  ),
  refresh: stringOrNull(
    'What `--refresh` asks again on purpose, such as `older-than 7d`; null without it.',
  ),
  resumes: z
    .object({
      run: string('Its id.'),
      startedAt: time('When it began.'),
      rowsSettled: count('Rows that need nothing any more.'),
      rowsOpen: count('Rows still to look up.'),
    })
    .nullable()
    .describe('The unfinished run that a run would take up; null where it would begin anew.'),
  rows: z.object({
    total: count('Rows of the list.'),
    kinds: z
      .record(z.string(), z.int())
      .describe('Rows with an identifier, by the kind that is tried first.'),
    rejects: z.record(z.string(), z.int()).describe('Rows without one, by reason.'),
    duplicates: count('Rows that ask the same as a row before them, and share its call.'),
    open: count('Rows to look up: neither rejected nor already answered.'),
    suppressed: count(
      'Rows that `suppress` or `dossier forget` leaves out; they are among the kinds, too.',
    ),
  }),
  answered: z
    .object({
      companies: count('Companies found before, young enough for `reuse.companies`.'),
      misses: count('Not found before, young enough for `reuse.misses`.'),
      peoplePages: count('Pages of people searches within `reuse.people`.'),
    })
    .describe('Calls that are saved because the ledger holds their answers.'),
  calls: Range.extend({
    companies: count('Company lookups to be made, one for each distinct question.'),
    fallbacks: count('Company lookups more, at most, where those find nothing.'),
    people: Range.describe('Pages of people searches among the calls.'),
  }).describe('Calls that a run would make.'),
  seconds: z
    .object({ least: z.number(), mostIfFull: z.number(), most: z.number() })
    .nullable()
    .describe('Time at the rate that holds; null where there is none.'),
  rate: z
    .object({
      perSecond: z.number().nullable().describe('The rate that a run would begin with.'),
      ceiling: z.number().nullable().describe("The job's own; null where it has none."),
      reason: z
        .enum(['ceiling', 'other job', 'throttled', 'policy'])
        .describe('Why it is no higher: the job, or what the ledger remembers of the service.'),
    })
    .describe('Requests a second.'),
  budget: z
    .object({
      perStart: countOrNull('Limit of one start.'),
      perDay: countOrNull('Limit of a day.'),
      perMonth: countOrNull('Limit of a month.'),
      spentToday: count('Requests of the day so far, by all jobs with the same key.'),
      spentThisMonth: count('Requests of the month so far.'),
      left: count('What the smallest of them leaves to the run.'),
      freeAt: stringOrNull(
        'When a run that stops for the budget of a day or month could go on, ISO 8601; null where mostIfFull is covered, or a start is what limits it.',
      ),
      verdict: z
        .enum(['enough', 'likely', 'perhaps', 'short'])
        .describe('Whether what is left covers most, mostIfFull, only least, or not even that.'),
    })
    .nullable()
    .describe('The budget of the job, in requests that may be charged; null where it has none.'),
  advisedBudget: count(
    'A budget that covers mostIfFull, with a tenth more for calls that have to be tried again.',
  ),
  price: PlanPrice.nullable().describe(
    "What the calls would cost at the job's `service.price`; null where a price that they need is not set.",
  ),
});
export type PlanJson = z.output<typeof PlanJson>;

/** What the ledger knows of the service and key that a run would meet. */
export interface PlanConditions {
  /** The rate that would hold, where it is below that of the job. */
  readonly lowered?: { perSecond: number; reason: PlanJson['rate']['reason'] } | undefined;
  /** What is spent of the day's and the month's budget, and when they are whole again. */
  readonly spent?: Readonly<Record<'day' | 'month', { requests: number; freeAtMs: number }>>;
}

export function planJson(
  { job, inputName, notes, replaces, held, resumed, rows, hits, calls }: Plan,
  { lowered, spent }: PlanConditions = {},
): PlanJson {
  const { companies, fallbacks, pages, ...range } = calls;
  const ceiling = job.limits.rate === 'none' ? null : job.limits.rate;
  const rate = lowered?.perSecond ?? ceiling;
  return {
    job: job.name,
    input: inputName,
    sampleData: job.service.url === sampleData,
    notes: [...notes],
    replaces: replaces ?? null,
    held: held ?? null,
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

/** Rows with an identifier. */
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

/** A tenth more, for calls that have to be tried again. */
function withMargin(calls: number): number {
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
    // Where both are spent, there are requests again with the next month.
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

/** Company lookups and pages of people have prices of their own. Null if one that is needed is not set. */
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
