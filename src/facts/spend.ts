import { z } from 'zod';
import { DossierError } from '../core/errors.ts';
import { beginningOfDate, dayAt, isTimezone, monthAt, quarterMs } from '../core/values/calendar.ts';
import { parseDuration } from '../core/values/duration.ts';
import { count, string, strings, time } from '../core/values/fields.ts';
import { totalSpend } from '../core/values/money.ts';
import { openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import type { SpendCounts, SpendRow } from '../engine/ledger/runs/spend.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { moneys } from '../results/manifest.ts';
import { noRunOf, readPastJob } from '../run/jobs/read-job.ts';

export const groupings = ['day', 'month', 'job', 'operation', 'service'] as const;
type Grouping = (typeof groupings)[number];

const SpendSum = z.strictObject({
  requests: count(
    'Calls that were answered or may have been charged: the sum of `hits`, `misses`, `rejected` and `possiblyCharged`.',
  ),
  hits: count('Calls that found a company or people.'),
  pages: count('Of `hits`, pages of people.'),
  misses: count('Calls that found nothing.'),
  emptyPages: count('Of `misses`, pages of people.'),
  rejected: count('Calls that the service rejected, or whose answer was too large.'),
  possiblyCharged: count(
    'Calls without a usable answer: server errors other than 503, timeouts, and calls cut off by a kill or stop, also if they were not sent yet. A call sent before midnight and answered after midnight is counted here on the first day, and as a hit, miss or rejection on the second.',
  ),
  notCharged: count(
    'Further requests, which are free: throttled, redirected, over a quota, or answered with 401, 403 or 503.',
  ),
  money: moneys(
    'Cost of `hits`, `misses` and `rejected` at the prices set at that time; with `charged: hits`, only of what was found. Empty without a price.',
  ),
  missMoney: moneys('The part of `money` for `misses`.'),
  unpriced: count('Calls without a price; their cost is unknown.'),
  possibleMoney: moneys('Further cost if all of `possiblyCharged` was charged.'),
});
export type SpendSum = z.output<typeof SpendSum>;

const SpendEntry = z.strictObject({
  day: z.string().exactOptional().describe('Day, such as `2026-11-16`; only if grouped by day.'),
  month: z.string().exactOptional().describe('Month, such as `2026-11`; only if grouped by month.'),
  job: z
    .string()
    .exactOptional()
    .describe('Name of the job, or `(lookups)` for `dossier lookup`; only if grouped by job.'),
  operation: z
    .string()
    .exactOptional()
    .describe('`company` or `people`; only if grouped by operation.'),
  service: z
    .string()
    .exactOptional()
    .describe(
      'Name of a service in services.yaml, or `(other)` for the service of a job; only if grouped by service.',
    ),
  ...SpendSum.shape,
});

export const SpendJson = z.strictObject({
  ledger: string('Path of the ledger.'),
  since: time('Start of the period. Earlier calls are not counted.'),
  timezone: string('Time zone in which days and months begin.'),
  by: strings('How the entries are grouped, by `day`, `month`, `job`, `operation` or `service`.'),
  entries: z.array(SpendEntry).describe('One entry per group, sorted by the fields in `by`.'),
  total: SpendSum.describe('Sum of all entries.'),
});

interface SpendQuery {
  readonly jobs: readonly string[];
  readonly by: readonly Grouping[];
  /** A date such as `2026-11-01`, or an age such as `30d`. */
  readonly since: string | undefined;
  readonly timezone: string | undefined;
  readonly ledger: string | undefined;
}

/** Reads `copy` if the ledger itself is not on this machine. */
export function readSpend(
  query: SpendQuery,
  nowMs: number,
  { names, job, timezone } = findSpendLedger(query),
  copy = job.ledger,
): { spend: z.output<typeof SpendJson>; notes: string[] } {
  const since = sinceMs(query.since ?? '30d', timezone, nowMs);
  const shown = fromHere(job.ledger);
  const by = [...new Set(query.by)];
  const facts = { ledger: job.ledger, since: new Date(since).toISOString(), timezone, by };
  using ledger = openLedgerToRead(copy);
  const known = ledger?.runs.list().map((run) => run.job) ?? [];
  const unknown = names.find((name) => !known.includes(name));
  if (ledger && unknown !== undefined) throw noRunOf(unknown, known, shown);
  const all = ledger?.spend.since(Math.floor(since / quarterMs) * quarterMs) ?? [];
  const rows = names.length === 0 ? all : all.filter((row) => names.includes(row.job));
  const note = ledger
    ? `Nothing has been charged since ${facts.since.slice(0, 10)}. Sample data and answers from the ledger are free.`
    : `Nothing has run yet: there is no ${shown}. To read another ledger, use --ledger or name a job file.`;
  return {
    spend: { ...facts, entries: groupSpend(rows, by, timezone), total: sumSpend(rows) },
    notes: rows.length === 0 ? [note] : [],
  };
}

export function findSpendLedger({ jobs, ledger, timezone }: SpendQuery) {
  if (timezone !== undefined && !isTimezone(timezone)) {
    throw new DossierError('USAGE', '--timezone needs a time zone such as Australia/Sydney');
  }
  const named = jobs.map((job) => readPastJob(job, { ledger }));
  const [first = readPastJob(undefined, { ledger })] = named;
  if (named.some((job) => job.ledger !== first.ledger)) {
    throw new DossierError('USAGE', 'these jobs use different ledgers; choose one with --ledger');
  }
  return {
    names: named.map(({ name }) => name),
    job: first,
    timezone: timezone ?? first.budget.timezone,
  };
}

function sinceMs(written: string, timezone: string, nowMs: number) {
  const agoMs = parseDuration(written);
  const since =
    agoMs === undefined
      ? beginningOfDate(written, timezone)
      : dayAt(Math.max(0, nowMs - agoMs), timezone).fromMs;
  if (since !== undefined) return since;
  throw new DossierError('USAGE', '--since needs a date such as 2026-11-01, or an age such as 30d');
}

/** Stands for all lookups; no job can have this name. */
const lookups = '(lookups)';

function groupSpend(
  rows: readonly SpendRow[],
  by: readonly Grouping[],
  timezone: string,
): z.output<typeof SpendEntry>[] {
  const periodNames = new Map<string, string>();
  const nameOf = (row: SpendRow, grouping: Grouping): string => {
    if (grouping === 'operation') return row.operation;
    if (grouping === 'service') return row.service ?? '(other)';
    if (grouping === 'job') return row.isLookup ? lookups : row.job;
    const key = `${grouping} ${row.quarterAt}`;
    const period = grouping === 'day' ? dayAt : monthAt;
    const name = periodNames.get(key) ?? period(row.quarterAt, timezone).name;
    periodNames.set(key, name);
    return name;
  };
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify(by.map((grouping) => nameOf(row, grouping))),
  );
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, some]) => {
      const names = JSON.parse(key) as string[];
      const group = Object.fromEntries(by.map((grouping, index) => [grouping, names[index]]));
      return { ...group, ...sumSpend(some) };
    });
}

function sumSpend(rows: readonly SpendRow[]): SpendSum {
  const sum = (count: keyof SpendCounts) => rows.reduce((total, row) => total + row[count], 0);
  const pages = (count: 'hits' | 'misses') =>
    rows.reduce((total, row) => total + (row.operation === 'people' ? row[count] : 0), 0);
  const { requests, ...amounts } = totalSpend(rows);
  const [hits, misses, rejected] = [sum('hits'), sum('misses'), sum('rejected')];
  return {
    requests,
    hits,
    pages: pages('hits'),
    misses,
    emptyPages: pages('misses'),
    rejected,
    // Answers to requests of the day before may make this negative.
    possiblyCharged: Math.max(0, requests - hits - misses - rejected),
    notCharged: sum('free'),
    ...amounts,
  };
}
