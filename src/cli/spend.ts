import { counted, listed } from '../core/values/format.ts';
import { formatMoney, formatSpent } from '../core/values/money.ts';
import { findSpendLedger, groupings, readSpend, type SpendSum } from '../facts/spend.ts';
import { command } from './parts/command.ts';
import { jobFlags, severalChoices, text } from './parts/options.ts';
import { openToLook } from './parts/read-ledger.ts';

const counts = {
  requests: 'calls',
  found: 'found',
  notFound: 'not found',
  pages: 'pages',
  emptyPages: 'empty pages',
  rejected: 'rejected',
  possiblyCharged: 'possibly charged',
  notCharged: 'not charged',
  unpriced: 'no price',
} as const;

/** A currency in which nothing was paid is left out. */
const paidIn = (money: SpendSum['money']) => {
  const paid = money.filter(({ amount }) => amount > 0);
  return paid.length > 0 ? paid : money.slice(0, 1);
};

export const spend = command({
  options: {
    jobs: {
      describe:
        'Job files (.yaml), lists that were run, or job names (default: all jobs and `lookup` commands)',
      read: (given) => given as string[],
      fallback: [],
      alias: 'job',
    },
    by: severalChoices(
      'Group by day, month, job, operation, service; may be repeated (default: day, job, operation)',
      groupings,
    ),
    since: text('Start: a date such as 2026-11-01, or a period such as 7d (default: 30d)'),
    timezone: text('Time zone in which days begin (default: from the job, or UTC)'),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 spend': 'show the last 30 days by day, job and operation',
    '$0 spend jobs/nightly.yaml --by month --since 365d': 'show a job month by month',
    '$0 spend --by job --since 2026-11-01 --json': 'print spending since a date as JSON',
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
    const amounts = (money: SpendSum['money']) =>
      paidIn(money)
        .map(({ currency, amount }) => formatMoney(currency, amount))
        .join(' + ');
    const numbersOf = (sum: SpendSum) => ({
      ...sum,
      found: sum.hits - sum.pages,
      notFound: sum.misses - sum.emptyPages,
    });
    const shown = (Object.keys(counts) as (keyof typeof counts)[]).filter(
      (count) =>
        count === 'requests' || (numbersOf(total)[count] > 0 && (hasMoney || count !== 'unpriced')),
    );
    const countsOf = (sum: SpendSum) =>
      Object.fromEntries(shown.map((count) => [counts[count], numbersOf(sum)[count]]));
    const groups = by as (typeof groupings)[number][];
    const namesOf = (entry: (typeof entries)[number]) => groups.map((group) => entry[group] ?? '');
    const named = (names: readonly string[]) =>
      Object.fromEntries(groups.map((group, at) => [group, names[at] ?? '']));
    const sums = [
      ...entries.map((entry) => ({ names: namesOf(entry), sum: entry })),
      ...(entries.length > 1 ? [{ names: ['total'], sum: total }] : []),
    ];
    /** For columns that are too wide together. */
    const inWords = ({ names, sum }: (typeof sums)[number]) => {
      const { calls = 0, ...others } = countsOf(sum);
      const missed = amounts(sum.missMoney);
      const money = hasMoney && amounts(sum.money) + (missed && `, of it ${missed} for misses`);
      const parts = [
        [counted(calls, 'call'), listed(others).replace(/\b1 ((?:empty )?page)s/g, '1 $1')]
          .filter(Boolean)
          .join(': '),
        money,
      ];
      return [page.bold(names.join('  ')), ...page.wrap(parts.filter(Boolean).join('; '), '  ')];
    };
    const all = formatSpent({ ...total, money: paidIn(total.money) });
    // A sum of several amounts in a cell would make the table too wide.
    const isSum = paidIn(total.money).length > 1;
    const moneyOf = (sum: SpendSum) => (isSum && sum === total ? '' : amounts(sum.money));
    const table = page.table(
      sums.map(({ names, sum }) => ({
        ...named(names),
        ...countsOf(sum),
        ...(hasMoney && { money: moneyOf(sum), 'for misses': amounts(sum.missMoney) }),
      })),
    );
    return [
      ...(table.length === sums.length + 1 ? table : sums.flatMap(inWords)),
      ...(hasMoney && (isSum || all !== amounts(total.money)) ? page.field('total', all, 7) : []),
      ...page.fields([
        total.possiblyCharged > 0 &&
          'Possibly charged calls ended in a server error or without an answer; after a kill, some may never have been sent.',
        total.notCharged > 0 && 'Calls not charged, such as throttled ones, are not in `calls`.',
      ]),
    ];
  },
});
