import { relative } from 'node:path';
import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { beginningOfDate, dayAt, isTimezone, quarterMs } from '../../runtime/budget/calendar.ts';
import { parseDuration } from '../../runtime/duration.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { openJob, openRanJob } from '../jobs/open-job.ts';
import type { Grouping } from './groupings.ts';
import { groupSpend, sumSpend } from './spend-groups.ts';
import type { SpendJson } from './spend-json.ts';

interface SpendRequest {
  readonly jobs: readonly string[];
  readonly by: readonly Grouping[];
  /** A date, or a time such as 30d. */
  readonly since: string | undefined;
  readonly timezone: string | undefined;
  readonly ledger: string | undefined;
}

/**
 * Reads what was paid. That nothing was paid yet is a result with a note, not an error. `copy` is read in the
 * place of a ledger that is not on this machine.
 */
export function readSpend(
  request: SpendRequest,
  nowMs: number,
  { names, path, timezone }: ReturnType<typeof findSpendLedger> = findSpendLedger(request),
  copy = path,
): { spend: SpendJson; note?: string | undefined } {
  const since = sinceMs(request.since ?? '30d', timezone, nowMs);
  const shown = relative(process.cwd(), path);
  const by = [...new Set(request.by)];
  const facts = { ledger: path, since: new Date(since).toISOString(), timezone, by };
  using ledger = openLedgerToRead(copy);
  if (!ledger) {
    const note = `Nothing has run yet: there is no ${shown}. --ledger or a job file names another.`;
    return { spend: { ...facts, entries: [], total: sumSpend([]) }, note };
  }
  refuseUnknown(names, ledger.runs.list(), shown);
  const rows = ledger.spend
    .since(Math.floor(since / quarterMs) * quarterMs)
    .filter(({ job }) => names.length === 0 || names.includes(job));
  const entries = groupSpend(rows, by, timezone);
  const note =
    rows.length === 0
      ? `Nothing was charged since ${facts.since.slice(0, 10)}. Sample data and answers of the ledger are free.`
      : undefined;
  return { spend: { ...facts, entries, total: sumSpend(rows) }, note };
}

/** The ledger of the given jobs, or the default one, and their time zone. */
export function findSpendLedger({ jobs, ledger, timezone: given }: SpendRequest) {
  if (given !== undefined && !isTimezone(given)) {
    throw new DossierError('USAGE', '--timezone takes a time zone such as Australia/Sydney');
  }
  const opened =
    jobs.length === 0
      ? [openJob('every-job', { ledger, url: sampleData })]
      : jobs.map((job) => openRanJob(job, { ledger }));
  const paths = new Set(opened.map(({ ledger: path }) => path));
  const [first] = opened;
  if (!first || paths.size > 1) {
    throw new DossierError('USAGE', 'these jobs have several ledgers; name one with --ledger');
  }
  return {
    names: jobs.length === 0 ? [] : opened.map(({ name }) => name),
    path: first.ledger,
    job: first,
    timezone: given ?? first.budget.timezone,
  };
}

/** A time counts back from now, to the beginning of its day. */
function sinceMs(written: string, timezone: string, nowMs: number): number {
  const agoMs = parseDuration(written);
  const since =
    agoMs === undefined
      ? beginningOfDate(written, timezone)
      : dayAt(Math.max(0, nowMs - agoMs), timezone).fromMs;
  if (since !== undefined) return since;
  throw new DossierError('USAGE', '--since takes a date such as 2026-11-01, or a time such as 30d');
}

function refuseUnknown(
  names: readonly string[],
  runs: readonly { readonly job: string }[],
  ledger: string,
): void {
  const known = [...new Set(runs.map(({ job }) => job))];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new DossierError('RUN_MISSING', `${ledger} holds no run of a job ${unknown}${hint}`);
}
