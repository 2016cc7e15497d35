import { basename } from 'node:path';
import { allowedRate, readState } from '../client/rate/rate-state.ts';
import { readKey } from '../job/read-key.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { monotonicMs, readSharedRate } from '../ledger/file/shared-rate.ts';
import { openLedgerToRead } from '../ledger/open-ledger.ts';
import { openJobToRead } from '../overview/jobs/open-job.ts';
import { noConditions, type PlanConditions } from '../overview/plan/plan-conditions.ts';
import { type PlanJson, planJson } from '../overview/plan/plan-json.ts';
import { budgetPeriods } from '../rules/shared-budget.ts';
import { planJob } from '../run/plan-job.ts';
import { localMinute } from '../runtime/budget/calendar.ts';
import { formatMoney, formatMoneyRange, toMicros } from '../runtime/budget/money.ts';
import { systemClock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';
import { sampleData } from '../runtime/sample-data.ts';
import { command, type Terminal } from './command.ts';
import { accountFor } from './connect.ts';
import { allFlags, job, jobFlags } from './options.ts';
import { type GivenJob, replacedText } from './run/start-texts.ts';
import { describeSnapshots, openToLook, snapshotLines } from './snapshot.ts';
import type { Page } from './terminal/page.ts';
import { showReceived } from './terminal/progress.ts';
import { counted, formatNumber, sampleDataText, shellWord } from './terminal/text.ts';

export const plan = command({
  options: { ...allFlags, job, ...jobFlags('refresh') },
  examples: {
    '$0 plan jobs/demo.yaml': 'what the demonstration would do',
    '$0 plan fixtures/leads/abns.csv --url embedded': 'the same for a bare list',
    '$0 plan jobs/demo.yaml --refresh misses': 'what asking again for misses would take',
    '$0 plan jobs/demo.yaml --json': 'for scripts',
  },
  facts: (args, terminal) => planned(openJobToRead(args.job, args), terminal),
  json: ({ found }) => found,
  text: planText,
});

/** Plans a job, as `plan` and `run --dry-run` do, and says which command makes the run. */
export async function planned(of: ResolvedJob, { progress, note, next }: Terminal) {
  await using look = await openToLook(of);
  const here = { ...of, ledger: look.path };
  const made = await planJob(here, {
    clock: systemClock,
    onReceived: (...received) => showReceived(progress, ...received),
    onProgress: (rows, share) => progress.show(`reading  ${formatNumber(rows)} rows`, share),
  });
  const found = planJson(made, readConditions(here, systemClock.wallMs()));
  const snapshot = await describeSnapshots(of);
  // The plan does not know the answers of the snapshot.
  if (snapshot?.here === 'other') for (const line of snapshotLines(snapshot)) note(line);
  const how = found.calls.most === 0 ? 'A run needs none:' : 'To make them:';
  next(`\nNo call was made. ${how}\n  ${runCommandLine(process.argv.slice(2))}`);
  return { found, of };
}

/** The command line that makes the planned run, with the flags of the plan. */
export function runCommandLine(argv: readonly string[]): string {
  const words = argv.filter((word) => word !== '--json' && word !== '--dry-run');
  const at = words.findIndex((word) => word === 'plan' || word === 'run');
  // The address of --share may hold a password.
  return withoutSecrets(['dossier', ...words.with(at, 'run').map(shellWord)].join(' '));
}

/** Reads them without a call. Sample data has neither. */
export function readConditions(job: ResolvedJob, nowMs: number): PlanConditions {
  if (job.service.url === sampleData) return noConditions;
  return { lowered: readLowered(job), spent: readSpent(job, nowMs) };
}

function readLowered({ service, ledger, limits }: ResolvedJob): PlanConditions['lowered'] {
  const address = { service: service.url.replace(/\/+$/, ''), key: keyOf(service) };
  const ceiling = limits.rate === 'none' ? Number.POSITIVE_INFINITY : limits.rate;
  // The rates of processes that run now say nothing about a later run.
  const state = { ...readState(readSharedRate(ledger, address), monotonicMs()), senders: [] };
  const { perSecond, reason } = allowedRate(state, ceiling);
  return perSecond < ceiling ? { perSecond, reason } : undefined;
}

function keyOf(service: ResolvedJob['service']): string {
  try {
    return readKey(service.key, process.env)?.reveal() ?? '';
  } catch {
    // A plan needs no key; without it nothing is known of the rate.
    return '';
  }
}

function readSpent(job: ResolvedJob, nowMs: number): PlanConditions['spent'] {
  const account = accountFor(job);
  using ledger = account === undefined ? undefined : openLedgerToRead(job.ledger);
  if (!ledger || account === undefined) return undefined;
  const { day, month } = budgetPeriods(nowMs, job.budget.timezone);
  const bytes = Buffer.from(account, 'hex');
  const used = ledger.spend.requestsIn(bytes, month, day);
  return {
    day: { requests: used.day, freeAtMs: day.untilMs },
    month: { requests: used.month, freeAtMs: month.untilMs },
  };
}

/** The plan for people. */
export function planText(
  { found, of: { reuse, people, budget, service } }: Awaited<ReturnType<typeof planned>>,
  page: Page,
  given: GivenJob,
): string[] {
  const { rows, atHand, calls } = found;
  /** A line, with numbers and notes in columns where the terminal is wide enough. */
  const line: Line = (label, value, note = '') => {
    const [first = '', ...others] = value.split(' ');
    const shown = [/^\d/.test(first) ? first.padStart(7) : `  ${first}`, ...others].join(' ');
    const whole = `${label.padEnd(22)}${note === '' ? shown : `${shown.padEnd(17)}  ${note}`}`;
    return whole.length <= page.width ? [whole] : page.field(label, `${value} ${note}`.trim(), 18);
  };
  const count = (label: string, number: number, note?: string) =>
    line(label, formatNumber(number), note);
  const invalid = Object.values(rows.rejects).reduce((total, number) => total + number, 0);
  const now = { input: found.input, rows: rows.total };
  return [
    ...sampleDataText(service.url),
    page.bold(`${found.job}: ${counted(rows.total, 'row')} of ${basename(found.input)}`),
    ...resumption(found),
    ...(found.refresh === null ? [] : [`Asked again on purpose: --refresh ${found.refresh}.`]),
    ...found.notes.flatMap((note) => page.wrap(note)),
    ...(found.replaces ? page.wrap(replacedText(found.replaces, now, given)) : []),
    '',
    ...count('identified', rows.total - invalid),
    ...Object.entries(rows.kinds).flatMap(([kind, number]) => count(`  ${kind}`, number)),
    ...count('invalid', invalid),
    ...Object.entries(rows.rejects).flatMap(([reason, number]) => count(`  ${reason}`, number)),
    ...count('duplicates', rows.duplicates, 'share the call of another row'),
    '',
    ...count('answers at hand', atHand.companies + atHand.misses + atHand.peoplePages),
    ...count('  companies', atHand.companies, age('found', reuse.companiesMs)),
    ...count('  misses', atHand.misses, age('not found', reuse.missesMs)),
    ...(people ? count('  people pages', atHand.peoplePages, age('answered', reuse.peopleMs)) : []),
    '',
    ...line('calls needed', range(calls.least, calls.mostIfFull)).map(page.bold),
    ...count('  companies', calls.companies, 'one for each distinct identifier'),
    ...line('  fallbacks', range(0, calls.fallbacks), 'other identifiers, after a miss'),
    ...(people
      ? [
          ...line('  people pages', range(calls.people.least, calls.people.mostIfFull)),
          ...page.wrap(
            `${counted(people.searches.length, 'search', 'searches')} for each company found, ${people.pageSize} people a page, ${formatNumber(people.maxPerCompany)} a company`,
            '    ',
          ),
        ]
      : []),
    '',
    ...line('time', timeText(found)),
    ...rateLines(found, line),
    ...(found.price ? line('price', priceText(found.price)) : []),
    ...budgetLines(found, budget.timezone, line),
    ...adviceLines(found, line),
    ...noteLines(found, page),
  ];
}

type Line = (label: string, value: string, note?: string) => string[];

function resumption({ resumes }: PlanJson): string[] {
  if (!resumes) return [];
  const { run, startedAt, rowsSettled, rowsOpen } = resumes;
  const started = startedAt.slice(0, 16).replace('T', ' ');
  return [
    `Goes on with ${run}, begun ${started} UTC:`,
    `${formatNumber(rowsSettled)} rows are settled, ${formatNumber(rowsOpen)} are open.`,
  ];
}

function timeText({ seconds, calls, rate }: PlanJson): string {
  if (calls.most === 0) return 'none';
  if (!seconds) return 'as fast as the service answers: the job sets no rate';
  const least = formatDuration(seconds.least * 1_000);
  const most = formatDuration(seconds.mostIfFull * 1_000);
  const span = calls.least === calls.mostIfFull ? least : `${least} to ${most}`;
  return `${span}, at ${counted(rounded(rate.perSecond ?? 0), 'request')} a second`;
}

const reasons: Record<PlanJson['rate']['reason'], string> = {
  ceiling: '',
  'other job': 'of another job',
  throttled: 'by throttles of earlier runs; it recovers',
  policy: 'by what the service says it allows',
};

/** Says where a rate that was learned stands below that of the job. */
function rateLines({ rate }: PlanJson, line: Line): string[] {
  if (rate.reason === 'ceiling') return [];
  const from = rate.ceiling === null ? '' : ` from ${formatNumber(rate.ceiling)}`;
  return line('', `lowered${from} ${reasons[rate.reason]}`);
}

function rounded(perSecond: number): number {
  return perSecond < 10 ? Math.round(perSecond * 100) / 100 : Math.round(perSecond);
}

const verdicts: Record<NonNullable<PlanJson['budget']>['verdict'], string> = {
  enough: 'enough, if no call has to be tried again',
  likely: 'enough, if the service fills its pages',
  perhaps: 'may not be enough; run again to go on',
  short: 'not enough; run again to go on',
};

function budgetLines({ budget }: PlanJson, timezone: string, line: Line): string[] {
  if (!budget) return line('budget', 'none; --max-calls or budget.perStart sets one');
  const limits = [
    [budget.perStart, 'a start', 0],
    [budget.perDay, 'a day', budget.spentToday],
    [budget.perMonth, 'a month', budget.spentThisMonth],
  ] as const;
  const shown = limits.flatMap(([limit, of, spent]) => {
    const used = spent > 0 ? `, ${formatNumber(spent)} spent` : '';
    return limit === null ? [] : [`${counted(limit, 'request')} ${of}${used}`];
  });
  const { freeAt, left } = budget;
  const until = freeAt && `${localMinute(Date.parse(freeAt), timezone)} ${timezone}`;
  return [
    ...shown.flatMap((text, index) => line(index === 0 ? 'budget' : '', text)),
    ...line('', verdicts[budget.verdict]),
    ...(until ? line('', `stops after ${formatNumber(left)} more, until ${until}`) : []),
  ];
}

function priceText({ currency, least, mostIfFull }: NonNullable<PlanJson['price']>): string {
  return formatMoneyRange(currency, toMicros(least) ?? 0, toMicros(mostIfFull) ?? 0);
}

/** Names a budget where the job has none that is enough. */
function adviceLines({ budget, advisedBudget, calls, price }: PlanJson, line: Line): string[] {
  if (calls.mostIfFull === 0 || budget?.verdict === 'enough') return [];
  const cost = price && { currency: price.currency, micros: toMicros(price.withMargin) ?? 0 };
  return [
    ...line(
      '',
      `${formatNumber(advisedBudget)} would do: a tenth more than the calls, for retries`,
    ),
    ...(cost ? line('', `${formatMoney(cost)} with these`) : []),
  ];
}

function noteLines({ calls }: PlanJson, page: Page): string[] {
  const notes = [
    calls.most > calls.mostIfFull &&
      `If the service gives fewer people a page than it is asked for, it takes more calls: ${formatNumber(calls.most)} at the very most.`,
    calls.people.most > 0 &&
      'A people search ends with an empty page, which is a call, too, unless the service tells how many there are. Rows of one company share its searches.',
  ].filter((note) => note !== false);
  return notes.length === 0 ? [] : ['', ...notes.flatMap((note) => page.wrap(note))];
}

function age(verb: string, ms: number): string {
  if (ms === 0) return 'all are asked again';
  return ms === Number.POSITIVE_INFINITY
    ? `${verb} before`
    : `${verb} within ${formatDuration(ms)}`;
}

function range(least: number, most: number): string {
  return least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
}
