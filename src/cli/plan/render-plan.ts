import { basename } from 'node:path';
import { styleText } from 'node:util';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { PlanJson } from '../../overview/plan/plan-json.ts';
import { localMinute } from '../../runtime/budget/calendar.ts';
import { formatMoney, formatMoneyRange, toMicros } from '../../runtime/budget/money.ts';
import { formatDuration } from '../../runtime/duration.ts';
import { printable } from '../../runtime/printable.ts';
import { type GivenJob, replacedText } from '../run/start-texts.ts';
import { counted, formatNumber, sampleDataText, wrapped } from '../terminal/text.ts';

/** The plan for people, in lines of at most eighty characters. */
export function renderPlan(
  plan: PlanJson,
  job: ResolvedJob,
  given: GivenJob,
  stream: NodeJS.WriteStream,
): string {
  const bold = (text: string) => styleText('bold', text, { stream });
  const { rows, atHand, calls } = plan;
  const invalid = sum(rows.rejects);
  const now = { input: plan.input, rows: rows.total };
  const lines = [
    ...sampleDataText(job.service.url),
    bold(
      `${plan.job}: ${counted(rows.total, 'row', 'rows')} of ${printable(basename(plan.input))}`,
    ),
    ...resumption(plan),
    ...(plan.refresh === null ? [] : [`Asked again on purpose: --refresh ${plan.refresh}.`]),
    ...plan.notes.flatMap((note) => wrapped(note, 80)),
    ...(plan.replaces ? wrapped(replacedText(plan.replaces, now, given), 80) : []),
    '',
    line('identified', formatNumber(rows.total - invalid)),
    ...Object.entries(rows.kinds).map(([kind, count]) => line(`  ${kind}`, formatNumber(count))),
    line('invalid', formatNumber(invalid)),
    ...Object.entries(rows.rejects).map(([reason, count]) =>
      line(`  ${reason}`, formatNumber(count)),
    ),
    line('duplicates', formatNumber(rows.duplicates), 'share the call of another row'),
    '',
    line('answers at hand', formatNumber(atHand.companies + atHand.misses + atHand.peoplePages)),
    line('  companies', formatNumber(atHand.companies), age('found', job.reuse.companiesMs)),
    line('  misses', formatNumber(atHand.misses), age('not found', job.reuse.missesMs)),
    ...(job.people
      ? [
          line(
            '  people pages',
            formatNumber(atHand.peoplePages),
            age('answered', job.reuse.peopleMs),
          ),
        ]
      : []),
    '',
    bold(line('calls needed', range(calls.least, calls.mostIfFull))),
    line('  companies', formatNumber(calls.companies), 'one for each distinct identifier'),
    line('  fallbacks', range(0, calls.fallbacks), 'other identifiers, after a miss'),
    ...(job.people ? peopleLines(plan, job.people) : []),
    '',
    line('time', timeText(plan)),
    ...rateLines(plan),
    ...(plan.price ? [line('price', priceText(plan.price))] : []),
    ...budgetLines(plan, job.budget.timezone),
    ...adviceLines(plan),
    '',
    ...notes(plan),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function resumption({ resumes }: PlanJson): string[] {
  if (!resumes) return [];
  const { run, startedAt, rowsSettled, rowsOpen } = resumes;
  const started = startedAt.slice(0, 16).replace('T', ' ');
  return [
    `Goes on with ${run}, begun ${started} UTC:`,
    `${formatNumber(rowsSettled)} rows are settled, ${formatNumber(rowsOpen)} are open.`,
  ];
}

function peopleLines({ calls }: PlanJson, people: NonNullable<ResolvedJob['people']>): string[] {
  const { searches, pageSize, maxPerCompany } = people;
  return [
    line('  people pages', range(calls.people.least, calls.people.mostIfFull)),
    `    ${counted(searches.length, 'search', 'searches')} for each company found, ${pageSize} people a page, ${formatNumber(maxPerCompany)} a company`,
  ];
}

function timeText({ seconds, calls, rate }: PlanJson): string {
  if (calls.most === 0) return 'none';
  if (!seconds) return 'as fast as the service answers: the job sets no rate';
  const least = formatDuration(seconds.least * 1_000);
  const most = formatDuration(seconds.mostIfFull * 1_000);
  const span = calls.least === calls.mostIfFull ? least : `${least} to ${most}`;
  return `${span}, at ${counted(rounded(rate.perSecond ?? 0), 'request', 'requests')} a second`;
}

const reasons: Record<PlanJson['rate']['reason'], string> = {
  ceiling: '',
  'other job': 'of another job',
  throttled: 'by throttles of earlier runs; it recovers',
  policy: 'by what the service says it allows',
};

/** Says where a rate that was learned stands below that of the job. */
function rateLines({ rate }: PlanJson): string[] {
  if (rate.reason === 'ceiling') return [];
  const from = rate.ceiling === null ? '' : ` from ${formatNumber(rate.ceiling)}`;
  return [line('', `lowered${from} ${reasons[rate.reason]}`)];
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

function budgetLines({ budget }: PlanJson, timezone: string): string[] {
  if (!budget) return [line('budget', 'none; --max-calls or budget.perStart sets one')];
  const limits = [
    [budget.perStart, 'a start', 0],
    [budget.perDay, 'a day', budget.spentToday],
    [budget.perMonth, 'a month', budget.spentThisMonth],
  ] as const;
  const shown = limits.flatMap(([limit, of, spent]) => {
    const used = spent > 0 ? `, ${formatNumber(spent)} spent` : '';
    return limit === null ? [] : [`${counted(limit, 'request', 'requests')} ${of}${used}`];
  });
  const lines = shown.map((text, index) => line(index === 0 ? 'budget' : '', text));
  const { freeAt, left } = budget;
  const until = freeAt && `${localMinute(Date.parse(freeAt), timezone)} ${timezone}`;
  const stop = until ? [line('', `stops after ${formatNumber(left)} more, until ${until}`)] : [];
  return [...lines, line('', verdicts[budget.verdict]), ...stop];
}

function priceText({ currency, least, mostIfFull }: NonNullable<PlanJson['price']>): string {
  return formatMoneyRange(currency, toMicros(least) ?? 0, toMicros(mostIfFull) ?? 0);
}

/** Names a budget where the job has none that is enough. */
function adviceLines({ budget, advisedBudget, calls, price }: PlanJson): string[] {
  if (calls.mostIfFull === 0 || budget?.verdict === 'enough') return [];
  const cost = price && { currency: price.currency, micros: toMicros(price.withMargin) ?? 0 };
  return [
    line('', `${formatNumber(advisedBudget)} would do: a tenth more than the calls, for retries`),
    ...(cost ? [line('', `${formatMoney(cost)} with these`)] : []),
  ];
}

function notes({ calls }: PlanJson): string[] {
  return [
    ...(calls.most > calls.mostIfFull
      ? [
          `If the service gives fewer people a page than it is asked for, it takes more`,
          `calls: ${formatNumber(calls.most)} at the very most.`,
        ]
      : []),
    ...(calls.people.most > 0
      ? [
          `A people search ends with an empty page, which is a call, too, unless the`,
          `service tells how many there are. Rows of one company share its searches.`,
        ]
      : []),
  ];
}

function age(verb: string, ms: number): string {
  if (ms === 0) return 'all are asked again';
  return ms === Number.POSITIVE_INFINITY
    ? `${verb} before`
    : `${verb} within ${formatDuration(ms)}`;
}

/** One line of the plan, with numbers and notes aligned in columns. */
function line(label: string, value: string, note = ''): string {
  const [first = '', ...others] = value.split(' ');
  const shown = [/^\d/.test(first) ? first.padStart(7) : `  ${first}`, ...others].join(' ');
  return note === '' ? label.padEnd(22) + shown : `${label.padEnd(22)}${shown.padEnd(17)}  ${note}`;
}

function range(least: number, most: number): string {
  return least === most ? formatNumber(least) : `${formatNumber(least)} to ${formatNumber(most)}`;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
