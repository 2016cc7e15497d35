import { basename } from 'node:path';
import { kindName } from '../core/contract/identifier-kinds.ts';
import { localMinute } from '../core/values/calendar.ts';
import { formatDuration } from '../core/values/duration.ts';
import { counted, formatNumber, listed } from '../core/values/format.ts';
import { formatMoney } from '../core/values/money.ts';
import { allowedRate, readState } from '../engine/client/rate/rate-state.ts';
import { monotonicMs, readSharedRate } from '../engine/ledger/file/shared-rate.ts';
import { openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { mostRechecked } from '../engine/queue/misses/recheck.ts';
import {
  ceilingOf,
  identifiedIn,
  type PlanConditions,
  type PlanJson,
  planJson,
} from '../facts/plan.ts';
import type { Correction } from '../job/corrections.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { systemClock } from '../platform/clock.ts';
import { spentInPeriods, termsOfCalls } from '../run/estimate-run.ts';
import { ledgerNotes } from '../run/jobs/find-ledger.ts';
import { readJobToRun } from '../run/jobs/read-job.ts';
import { planJob } from '../run/plan-job.ts';
import { leastText, unknownYet } from '../ui/words/expected.ts';
import { reasonWords } from '../ui/words/labels.ts';
import { command } from './parts/command.ts';
import { accountsFor, rateAddress } from './parts/connect.ts';
import { adopt, allFlags, jobArgument, jobFlags, newLedger } from './parts/options.ts';
import { openToLook } from './parts/read-ledger.ts';
import { describeSnapshots, snapshotLines } from './parts/snapshot-facts.ts';
import { type GivenJob, replacedText } from './run/run-texts.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { Page } from './terminal/text.ts';
import {
  cappedText,
  limitTexts,
  sampleDataText,
  serviceCalls,
  sharedPages,
  typedCommand,
} from './terminal/text.ts';

export const plan = command({
  options: { ...allFlags, job: jobArgument, ...jobFlags('maxSpend', 'refresh'), newLedger, adopt },
  examples: {
    '$0 plan jobs/demo.yaml': 'show what the demonstration would do',
    '$0 plan fixtures/leads/abns.csv --url embedded':
      'plan a list without a job file, with sample data',
    '$0 plan jobs/demo.yaml --refresh misses': 'show what it would cost to look up misses again',
    '$0 plan jobs/demo.yaml --json': 'print the plan as JSON',
  },
  async facts(args, terminal) {
    const job = readJobToRun(args.job, args);
    const notes = ledgerNotes(job);
    const found = await planned(job, terminal);
    terminal.note(...notes);
    return found;
  },
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
  const conditions = readConditions(here, systemClock.wallMs());
  const found = planJson(made, conditions);
  const snapshot = await describeSnapshots(job);
  // The plan cannot count answers that are only in the snapshot.
  if (snapshot?.here === 'other') note(...snapshotLines(snapshot));
  next(`\nNo call was made. To start the run:\n  ${typedCommand(found.accept)}`);
  return { found, job, spent: conditions.spent };
}

export async function nextRunText(job: ResolvedJob, isRechecked: boolean): Promise<string> {
  if (job.input.path === '-') return '';
  try {
    const { calls, price } = planJson(await planJob(job, { clock: systemClock }));
    const cost = price ? `, ${formatMoney(price.currency, price.most)}` : '';
    const most = `The next run of this list will make at most ${counted(calls.most, 'call')}${cost}.`;
    return isRechecked && calls.companies > mostRechecked
      ? `${most} It will look up ${mostRechecked} of the vanished companies first and stop if half are still missing.`
      : most;
  } catch {
    // The next run reports the error.
    return '';
  }
}

function readConditions(job: ResolvedJob, nowMs: number): PlanConditions {
  const { ledger: path, services } = job;
  if (services[0].isSample) return {};
  const rates = services.map((service) => {
    const ceiling = ceilingOf(job, service);
    // Ignores running processes, because they may have ended when the planned run starts.
    const learned = readState(readSharedRate(path, rateAddress(service)), monotonicMs());
    return allowedRate({ ...learned, senders: [] }, ceiling);
  });
  using ledger = openLedgerToRead(path);
  if (!ledger) return { rates };
  return { rates, spent: spentInPeriods(ledger, job, accountsFor(job), nowMs) };
}

export function planText(
  { found, spent, job: { people, budget, services } }: Awaited<ReturnType<typeof planned>>,
  page: Page,
  given: GivenJob,
): string[] {
  const { rows, answered, calls, resumes, replaces, rate } = found;
  const each = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, number]) => [`  ${name}`, number] as const);
  const identified = identifiedIn(rows);
  const upTo = (part: number) => `up to ${formatNumber(part)}`;
  const ceiling = rate.ceiling === null ? '' : ` from ${formatNumber(rate.ceiling)}`;
  return page.fields(
    [
      ...sampleDataText(services[0]),
      `${found.job}: ${counted(rows.total, 'row')} of ${basename(found.input)}`,
      ...found.notes,
      replaces && replacedText(replaces, given),
      found.held && `A run would be held: ${found.held}.`,
      '',
      [
        'continues',
        resumes &&
          `${resumes.run}, ${listed({ 'rows done': resumes.rowsSettled, open: resumes.rowsOpen })}`,
      ],
      ['refreshes', found.refresh],
      ['identified', identified],
      ...each(sumBy(rows.kinds, kindName)),
      ['invalid', rows.total - identified],
      ...each(sumBy(rows.rejects, reasonWords)),
      ['suppressed', rows.suppressed > 0 && rows.suppressed],
      ['same identifier', rows.duplicates],
      '',
      ['already answered', answered.companies + answered.misses + answered.peoplePages],
      ['  companies', answered.companies],
      ['  not found', answered.misses],
      ['  people pages', people && answered.peoplePages],
      '',
      [
        'calls expected',
        calls.expected === null
          ? `${leastText(found)}; --limit 10 would try ten rows`
          : formatNumber(calls.expected),
        'bold',
      ],
      ['calls at most', formatNumber(calls.most) + cappedText(found, services), 'bold'],
      ['  companies', calls.companies],
      ['  after a miss', calls.fallbacks > 0 && upTo(calls.fallbacks)],
      ['  people pages', people && upTo(calls.people)],
      ['  retries', calls.repeats > 0 && upTo(calls.repeats)],
      '',
      ...(found.services ?? []).map(
        (service) => [`  ${service.name}`, expectedAt(service) + serviceCalls(service)] as const,
      ),
      ['', sharedPages(found) || false],
      ...priceRows(found),
      ...termsOfCalls({ services, people }).map(
        (terms, at) => [at ? '' : 'each call', terms] as const,
      ),
      ['time', timeText(found)],
      ['', rate.reason !== 'ceiling' && `lowered${ceiling} ${reasons[rate.reason]}`],
      ...budgetRows(found, budget, services, spent),
      [
        'people',
        people &&
          `${counted(people.searches.length, 'search', 'searches')} a company, at most ${formatNumber(people.maxPerCompany)} people`,
      ],
    ],
    24,
  );
}

/** Kinds with the same name are one for people. */
function sumBy(counts: Readonly<Record<string, number>>, nameOf: (kind: string) => string) {
  const sums: Record<string, number> = {};
  for (const [kind, number] of Object.entries(counts)) {
    sums[nameOf(kind)] = (sums[nameOf(kind)] ?? 0) + number;
  }
  return sums;
}

function expectedAt({ expected, most, price }: NonNullable<PlanJson['services']>[number]) {
  if (expected === null || most === 0) return '';
  const cost = price?.expected ? ` for ${formatMoney(price.currency, price.expected)}` : '';
  return `about ${formatNumber(expected)}${cost}, `;
}

function priceRows({ price, calls, sampleData, services }: PlanJson) {
  // Currencies are never added up.
  if (!price && services) return [];
  if (!price) {
    const isUnknown = !sampleData && calls.most > 0;
    return [
      ['price', isUnknown && 'unknown: set it in services.yaml, or service.price in the job'],
    ] as const;
  }
  const money = (amount: number) => formatMoney(price.currency, amount);
  return [
    [
      'price expected',
      price.expected === null ? calls.expected !== null && unknownYet : money(price.expected),
    ],
    ['price at most', money(price.most)],
  ] as const;
}

function timeText({ seconds, calls, rate }: PlanJson) {
  if (calls.most === 0) return 'none';
  if (!seconds) return 'unknown: the job has no rate limit';
  const [expected, most] = [seconds.expected ?? seconds.most, seconds.most].map((some) =>
    formatDuration(some * 1_000),
  );
  const span = expected === most ? `at most ${most}` : `about ${expected}, at most ${most}`;
  const perSecond = rate.perSecond ?? 0;
  const shown = Number(perSecond.toFixed(perSecond < 10 ? 2 : 0));
  return `${span}, at ${counted(shown, 'call')} a second`;
}

const reasons: Record<PlanJson['rate']['reason'], string> = {
  ceiling: '',
  'other job': 'by another job',
  throttled: 'because the service throttled calls; the rate will recover',
};

const verdicts: Record<NonNullable<PlanJson['budget']>['verdict'], string> = {
  enough: 'enough without retries',
  likely: 'probably enough',
  perhaps: 'may end the run early; run again to continue',
  short: 'will end the run early; run again to continue',
};

function budgetRows(
  { budget, calls }: PlanJson,
  { spendMicros: micros, timezone }: ResolvedJob['budget'],
  services: ResolvedJob['services'],
  spent: PlanConditions['spent'],
) {
  // Calls of a single service are limits of the job, too.
  const units = services.length === 1 ? (['micros'] as const) : undefined;
  const ofServices = services.flatMap((service, index) =>
    limitTexts(service, spent?.services[index], units).map((limit) => `${service.name}: ${limit}`),
  );
  const limits = [
    [budget?.perStart, 'a start', 0],
    [budget?.perDay, 'a day', budget?.spentToday],
    [budget?.perMonth, 'a month', budget?.spentThisMonth],
  ] as const;
  const shown = limits.flatMap(([limit, of, spent]) => {
    const used = spent ? `, ${formatNumber(spent)} spent` : '';
    return typeof limit === 'number' ? `${counted(limit, 'call')} ${of}${used}` : [];
  });
  const none = `none${calls.most > 0 ? `; --max-calls ${calls.most} would limit a start to these calls` : ''}`;
  const [{ price }] = services;
  const ofMoney = limitTexts({ budget: { perStart: { micros } }, price }, undefined);
  const [first = none, ...others] = [...shown, ...ofMoney, ...ofServices];
  const freeAt = budget?.freeAt && localMinute(Date.parse(budget.freeAt), timezone);
  const more = [
    ...others,
    budget && calls.most > 0 && verdicts[budget.verdict],
    freeAt && `${formatNumber(budget.left)} left; the budget resets at ${freeAt} ${timezone}`,
  ];
  return [['budget', first] as const, ...more.map((text) => ['', text] as const)];
}
