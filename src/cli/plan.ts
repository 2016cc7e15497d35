import { basename } from 'node:path';
import { budgetPeriods } from '../core/rules/shared-budget.ts';
import { localMinute } from '../core/runtime/budget/calendar.ts';
import { formatMoney } from '../core/runtime/budget/money.ts';
import { systemClock } from '../core/runtime/clock.ts';
import { formatDuration } from '../core/runtime/duration.ts';
import { counted, formatNumber } from '../core/runtime/format.ts';
import { allowedRate, readState } from '../engine/client/rate/rate-state.ts';
import { monotonicMs, readSharedRate } from '../engine/ledger/file/shared-rate.ts';
import { openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { mostProbed } from '../engine/queue/vanished.ts';
import type { Correction } from '../job/corrections.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import { planJob } from '../run/open-run.ts';
import { readJobToRun } from '../run/read-job.ts';
import { identifiedIn, type PlanConditions, type PlanJson, planJson } from '../ui/overview/plan.ts';
import { command } from './command.ts';
import { accountsFor, rateAddress } from './connect.ts';
import { allFlags, jobArgument, jobFlags, newLedger } from './options.ts';
import { type GivenJob, replacedText } from './run/run-texts.ts';
import { describeSnapshots, openToLook, snapshotLines } from './snapshot.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { Page } from './terminal/text.ts';
import { listed, sampleDataText, typedCommand } from './terminal/text.ts';

export const plan = command({
  options: { ...allFlags, job: jobArgument, ...jobFlags('refresh'), newLedger },
  examples: {
    '$0 plan jobs/demo.yaml': 'show what the demonstration would do',
    '$0 plan fixtures/leads/abns.csv --url embedded':
      'plan a list without a job file, with sample data',
    '$0 plan jobs/demo.yaml --refresh misses': 'show what it would cost to look up misses again',
    '$0 plan jobs/demo.yaml --json': 'print the plan as JSON',
  },
  facts: (args, terminal) => planned(readJobToRun(args.job, args), terminal),
  json: ({ found }) => found,
  text: planText,
});

export async function planned(
  job: ResolvedJob,
  { progress, note, next }: Terminal,
  /** Only for `dossier fix`. */
  corrections?: readonly Correction[],
) {
  await using look = await openToLook(job);
  const here = { ...job, ledger: look.path };
  const reading = {
    clock: systemClock,
    corrections,
    onReceive: progress.showReceived,
    onIngest: (rows: number, share: number | undefined) =>
      progress.show(() => `reading  ${formatNumber(rows)} rows`, share),
  };
  const made = await planJob(here, reading, corrections !== undefined);
  const found = planJson(made, readConditions(here, systemClock.wallMs()));
  const snapshot = await describeSnapshots(job);
  // The plan cannot count answers that are only in the snapshot.
  if (snapshot?.here === 'other') note(...snapshotLines(snapshot));
  next(`\nNo call was made. To start the run:\n  ${typedCommand(found.accept)}`);
  return { found, job };
}

export async function nextRunText(job: ResolvedJob, isProbed: boolean): Promise<string> {
  if (job.input.path === '-') return '';
  try {
    const { calls, price } = planJson(await planJob(job, { clock: systemClock }));
    const cost = price ? `, ${costOf(price, 'mostIfFull')}` : '';
    const most = `The next run of this list will make at most ${counted(calls.mostIfFull, 'call')}${cost}.`;
    return isProbed && calls.companies > mostProbed
      ? `${most} It will look up ${mostProbed} of the vanished companies first and stop if half are still missing.`
      : most;
  } catch {
    // The next run reports the error.
    return '';
  }
}

function costOf(price: NonNullable<PlanJson['price']>, which: 'mostIfFull' | 'withMargin') {
  return formatMoney(price.currency, price[which]);
}

function readConditions(job: ResolvedJob, nowMs: number): PlanConditions {
  const { service, ledger: path, limits } = job;
  if (service.isSample) return {};
  const ceiling = limits.rate === 'none' ? Number.POSITIVE_INFINITY : limits.rate;
  // Ignores running processes, because they may have ended when the planned run starts.
  const learned = readState(readSharedRate(path, rateAddress(service)), monotonicMs());
  const rate = allowedRate({ ...learned, senders: [] }, ceiling);
  const lowered = rate.perSecond < ceiling ? rate : undefined;
  const accounts = accountsFor(job);
  using ledger = accounts && openLedgerToRead(path);
  if (!ledger || !accounts) return { lowered };
  const { day, month } = budgetPeriods(nowMs, job.budget.timezone);
  const used = ledger.spend.requestsIn(accounts, month, day);
  return {
    lowered,
    spent: {
      day: { requests: used.day, freeAtMs: day.untilMs },
      month: { requests: used.month, freeAtMs: month.untilMs },
    },
  };
}

export function planText(
  { found, job: { people, budget, service } }: Awaited<ReturnType<typeof planned>>,
  page: Page,
  given: GivenJob,
): string[] {
  const { rows, answered, calls, resumes, replaces, rate, price } = found;
  const each = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, number]) => [`  ${name}`, number] as const);
  const identified = identifiedIn(rows);
  const now = { input: found.input, rows: rows.total };
  const ceiling = rate.ceiling === null ? '' : ` from ${formatNumber(rate.ceiling)}`;
  return page.fields(
    [
      ...sampleDataText(service),
      `${found.job}: ${counted(rows.total, 'row')} of ${basename(found.input)}`,
      ...found.notes,
      replaces && replacedText(replaces, now, given),
      found.held && `A run would be held: ${found.held}.`,
      '',
      [
        'continues',
        resumes &&
          `${resumes.run}, ${listed({ 'rows done': resumes.rowsSettled, open: resumes.rowsOpen })}`,
      ],
      ['refreshes', found.refresh],
      ['identified', identified],
      ...each(rows.kinds),
      ['invalid', rows.total - identified],
      ...each(rows.rejects),
      ['suppressed', rows.suppressed > 0 && rows.suppressed],
      ['duplicates', rows.duplicates],
      '',
      ['already answered', answered.companies + answered.misses + answered.peoplePages],
      ['  companies', answered.companies],
      ['  misses', answered.misses],
      ['  people pages', people && answered.peoplePages],
      '',
      ['calls needed', range(calls.least, calls.mostIfFull), 'bold'],
      ['  companies', calls.companies],
      ['  after a miss', range(0, calls.fallbacks)],
      ['  people pages', people && range(calls.people.least, calls.people.mostIfFull)],
      '',
      ['time', timeText(found)],
      ['', rate.reason !== 'ceiling' && `lowered${ceiling} ${reasons[rate.reason]}`],
      [
        'price',
        price
          ? formatMoney(price.currency, price.least, price.mostIfFull)
          : !found.sampleData && calls.most > 0 && 'unknown: set service.price in the job',
      ],
      ...budgetRows(found, budget.timezone),
      [
        'people',
        people &&
          `${counted(people.searches.length, 'search', 'searches')} a company, at most ${formatNumber(people.maxPerCompany)} people`,
      ],
      [
        'at most',
        calls.most > calls.mostIfFull &&
          [
            `${formatNumber(calls.most)} calls`,
            price && formatMoney(price.currency, price.most),
            'if people pages are not full',
          ]
            .filter(Boolean)
            .join(', '),
      ],
    ],
    24,
  );
}

function timeText({ seconds, calls, rate }: PlanJson) {
  if (calls.most === 0) return 'none';
  if (!seconds) return 'unknown: the job has no rate limit';
  const least = formatDuration(seconds.least * 1_000);
  const most = formatDuration(seconds.mostIfFull * 1_000);
  const span = calls.least === calls.mostIfFull ? least : `${least} to ${most}`;
  const perSecond = rate.perSecond ?? 0;
  const shown = Number(perSecond.toFixed(perSecond < 10 ? 2 : 0));
  return `${span}, at ${counted(shown, 'request')} a second`;
}

const reasons: Record<PlanJson['rate']['reason'], string> = {
  ceiling: '',
  'other job': 'by another job',
  throttled: 'because the service throttled requests; the rate will recover',
  policy: 'because the service allows no more',
};

const verdicts: Record<NonNullable<PlanJson['budget']>['verdict'], string> = {
  enough: 'enough without retries',
  likely: 'enough if people pages are full',
  perhaps: 'may not cover everything; run again to continue',
  short: 'not enough; run again to continue',
};

function budgetRows({ budget, calls, advisedBudget, price }: PlanJson, timezone: string) {
  const limits = [
    [budget?.perStart, 'a start', 0],
    [budget?.perDay, 'a day', budget?.spentToday],
    [budget?.perMonth, 'a month', budget?.spentThisMonth],
  ] as const;
  const shown = limits.flatMap(([limit, of, spent]) => {
    const used = spent ? `, ${formatNumber(spent)} spent` : '';
    return typeof limit === 'number' ? `${counted(limit, 'request')} ${of}${used}` : [];
  });
  const [first = 'none; set one with --max-calls or `budget`', ...others] = shown;
  const isShort = calls.mostIfFull > 0 && budget?.verdict !== 'enough';
  const freeAt = budget?.freeAt && localMinute(Date.parse(budget.freeAt), timezone);
  const more = [
    ...others,
    budget && verdicts[budget.verdict],
    freeAt && `${formatNumber(budget.left)} left; the budget resets at ${freeAt} ${timezone}`,
    isShort &&
      `advised: ${formatNumber(advisedBudget)}, including 10% for retries${price ? ` (${costOf(price, 'withMargin')})` : ''}`,
  ];
  return [['budget', first] as const, ...more.map((text) => ['', text] as const)];
}

function range(least: number, most: number) {
  return least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
}
