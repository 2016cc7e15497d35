import { type Grouping, groupings } from '../overview/spend/groupings.ts';
import { findSpendLedger, readSpend } from '../overview/spend/read-spend.ts';
import type { SpendSum } from '../overview/spend/spend-json.ts';
import { formatMonies, moneyOf } from '../runtime/budget/money.ts';
import { command } from './command.ts';
import { jobFlags, severalChoices, text } from './options.ts';
import { openToLook } from './snapshot.ts';
import { formatNumber } from './terminal/text.ts';

const counts = ['requests', 'hits', 'misses', 'failed', 'unanswered', 'notCharged'] as const;
const titles = counts.map((count) => (count === 'notCharged' ? 'not charged' : count));

export const spend = command({
  options: {
    jobs: {
      describe:
        'Job files (.yaml), lists that were run, or names; all jobs and lookups when absent',
      read: (given) => given as string[],
      fallback: [],
      alias: 'job',
    },
    by: severalChoices(
      `Group by ${groupings.join(', ')}; may be repeated (default: day, job, operation)`,
      groupings,
    ),
    since: text('A date such as 2026-11-01, or a time such as 7d (default: 30d)'),
    timezone: text('Where days begin (default: as the job says, or UTC)'),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 spend': 'the last 30 days, by day, job and operation',
    '$0 spend jobs/nightly.yaml --by month --since 365d': 'a job, month by month',
    '$0 spend --by job --since 2026-11-01 --json': 'since a date, for scripts',
  },
  async facts(args, terminal) {
    const by: Grouping[] = args.by ?? ['day', 'job', 'operation'];
    const request = { ...args, by };
    const found = findSpendLedger(request);
    await using look = await openToLook(found.job);
    const { spend: facts, note } = readSpend(request, Date.now(), found, look.path);
    if (note !== undefined) terminal.note(note);
    return facts;
  },
  text({ by, entries, total }, page) {
    if (entries.length === 0) return [];
    const hasMoney = total.money.length > 0;
    const cells = (names: readonly string[], sum: SpendSum) => [
      ...names,
      ...counts.map((count) => formatNumber(sum[count])),
      ...(hasMoney ? [formatMonies(sum.money.map(moneyOf))] : []),
    ];
    const groups = by as Grouping[];
    const rows = [
      [...groups, ...titles, ...(hasMoney ? ['money'] : [])],
      ...entries.map((entry) =>
        cells(
          groups.map((group) => entry[group] ?? ''),
          entry,
        ),
      ),
      ...(entries.length > 1 ? [cells(['total', ...groups.slice(1).map(() => '')], total)] : []),
    ];
    const numbers = (rows[0] ?? []).map((_, at) => at).slice(groups.length);
    return [
      ...page.table(rows, { numbers, hasTitle: true, isCut: false }),
      ...page.wrap(
        'Requests that may be charged: hits, misses, failed and unanswered together. Unanswered ones were tried again or cut off. Free requests are counted apart.',
      ),
    ];
  },
});
