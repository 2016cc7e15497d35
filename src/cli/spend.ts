import { formatSpent } from '../core/runtime/budget/money.ts';
import { findSpendLedger, groupings, readSpend, type SpendSum } from '../ui/overview/spend.ts';
import { command } from './command.ts';
import { jobFlags, severalChoices, text } from './options.ts';
import { openToLook } from './snapshot.ts';
import { formatNumber } from './terminal/text.ts';

const counts = ['requests', 'hits', 'misses', 'rejected', 'possiblyCharged', 'notCharged'] as const;
const titleOf = (count: string) => count.replace('Charged', ' charged');

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
    const request = { ...args, by: args.by ?? (['day', 'job', 'operation'] as const) };
    const found = findSpendLedger(request);
    await using look = await openToLook(found.job);
    const { spend: facts, notes } = readSpend(request, Date.now(), found, look.path);
    terminal.note(...notes);
    return facts;
  },
  text({ by, entries, total }, page) {
    if (entries.length === 0) return [];
    const hasMoney = total.money.length > 0;
    const shown = counts.filter((count) => count === 'requests' || total[count] > 0);
    const cells = (names: readonly string[], sum: SpendSum) => [
      ...names,
      ...shown.map((count) => formatNumber(sum[count])),
      ...(hasMoney ? [formatSpent(sum) || 'unknown'] : []),
    ];
    const groups = by as (typeof groupings)[number][];
    const rows = [
      [...groups, ...shown.map(titleOf), ...(hasMoney ? ['money'] : [])],
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
        'Requests are those that may be charged: hits, misses, rejected and possibly charged ones. Possibly charged: a server error, or no answer. Not charged: free requests, such as those throttled or answered with 503.',
      ),
    ];
  },
});
