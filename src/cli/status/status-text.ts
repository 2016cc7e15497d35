import { isAbsolute, relative } from 'node:path';
import { styleText } from 'node:util';
import type {
  JobRun,
  JobStatus,
  LookupStatus,
  StatusJson,
} from '../../overview/status/status-json.ts';
import { savedCalls } from '../../rules/saved-calls.ts';
import { formatMonies, moneyOf } from '../../runtime/budget/money.ts';
import { formatDuration } from '../../runtime/duration.ts';
import { snapshotLines } from '../snapshot.ts';
import { counted, minuteOf, nameJob, shortened, widthOf, wrapped } from '../terminal/text.ts';
import { doubtfulLines } from './doubtful-calls.ts';
import { jobsTable } from './jobs-table.ts';
import { badEndLine, startLines } from './start-lines.ts';
import { stateColors } from './state-colors.ts';

const indent = '    ';
const labelWidth = 8;

/** The status for people: the runs of one job, or a table with a line for each job. */
export function statusText(
  status: StatusJson,
  { isOneJob }: { isOneJob: boolean },
  stream: NodeJS.WriteStream,
): string[] {
  const width = widthOf(stream);
  const lines = isOneJob
    ? status.jobs.flatMap((job) => jobLines(job, status.ledger, width, stream))
    : [
        ...sampleLines(status.jobs, width, stream),
        ...jobsTable(status.jobs, width, stream),
        ...status.jobs.flatMap(({ job, starts: [last] }) => badEndLine(job, last, width, stream)),
        ...status.jobs.flatMap(({ job, runs }) =>
          runs.flatMap(({ possiblyCharged }) =>
            doubtfulLines(`${job}: `, possiblyCharged, width, stream),
          ),
        ),
        ...(status.jobs.length > 0 && status.lookups ? [''] : []),
        ...lookupLines(status.lookups, width, stream),
      ];
  const snapshot = snapshotLines(status.snapshot).flatMap((line) => wrapped(nameJob(line), width));
  const apart = lines.length > 0 && snapshot.length > 0 ? [''] : [];
  return [...lines, ...apart, ...snapshot];
}

function jobLines(
  { job, running, runCount, runs, starts }: JobStatus,
  ledger: string,
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  const where = relative(process.cwd(), ledger);
  const title = shortened(`${job}: ${counted(runCount, 'run', 'runs')} in ${where}`, width);
  const hidden = runCount - runs.length;
  return [
    styleText('bold', title, { stream }),
    ...(running && runs[0]?.endedAt ? ['A process is at work on it now.'] : []),
    ...runs.flatMap((run) => [
      '',
      ...runLines(run, width, stream),
      ...(run.state === 'held' ? [`${indent}${nameJob(waitingWords)}`] : []),
    ]),
    ...(hidden > 0 ? ['', `${counted(hidden, 'older run', 'older runs')}; --runs shows more`] : []),
    ...startLines(starts, width, stream),
  ];
}

function runLines(run: JobRun, width: number, stream: NodeJS.WriteStream): string[] {
  const { rows, calls, people, failedSearches } = run;
  const field = (label: string, value: string) =>
    wrapped(value, width - indent.length - labelWidth).map(
      (line, index) => `${indent}${(index === 0 ? label : '').padEnd(labelWidth)}${line}`,
    );
  const state = styleText(stateColors[run.state], run.state, { stream });
  const saved = savedCalls(calls);
  const ways = listed(' (', [
    [calls.shared, 'shared'],
    [calls.reused, 'reused'],
    [calls.joined, 'joined'],
  ]);
  return [
    `${run.run.padEnd(indent.length)}${state}${run.held ? ', finished' : ''}${timing(run)}`,
    ...(run.acceptedAt === null
      ? []
      : [`${indent}accepted ${minuteOf(Date.parse(run.acceptedAt))}, after it was held`]),
    ...(run.held ?? []).flatMap(({ message }) =>
      wrapped(message, width - indent.length).map(
        (line) => `${indent}${styleText('yellow', line, { stream })}`,
      ),
    ),
    ...(run.sampleData ? [`${indent}${styleText('yellow', sampleWords, { stream })}`] : []),
    ...field('input', shortened(inputName(run.list), width - indent.length - labelWidth)),
    ...(run.prunedAt === null ? [] : field('', 'pruned: its rows are no longer in the ledger')),
    ...(run.limit === null ? [] : field('', `a try of its first rows (--limit ${run.limit})`)),
    ...field(
      'rows',
      `${number(rows.total)}${listed(': ', [
        [rows.matched, 'matched'],
        [rows.not_found, 'not found'],
        [rows.invalid, 'invalid'],
        [rows.failed, 'failed'],
        [rows.open, 'open'],
        [rows.stale, 'of them stale'],
      ])}`,
    ),
    ...field(
      'calls',
      `${number(calls.made)} made, ${number(saved)} saved${ways && `${ways})`}, ${number(calls.open)} open`,
    ),
    ...(run.money.length > 0 ? field('paid', paidText(run)) : []),
    ...(people + failedSearches > 0
      ? field('people', `${number(people)}${listed('; ', [[failedSearches, 'searches failed']])}`)
      : []),
    ...doubtfulLines(indent, run.possiblyCharged, width, stream),
    ...(run.folder === null ? [] : field('files', `put aside in ${inputName(run.folder)}`)),
    ...(run.goOn === null ? [] : indented(run.goOn, width)),
  ];
}

function indented(text: string, width: number): string[] {
  return wrapped(text, width - indent.length).map((line) => `${indent}${line}`);
}

function paidText({ money, requests }: JobRun): string {
  return `${formatMonies(money.map(moneyOf))}, for ${counted(requests, 'request', 'requests')}`;
}

const waitingWords = '`dossier export <job> --accept` publishes it; else the next run asks again.';

const sampleWords = 'SAMPLE DATA: made-up companies, no real service';

/** Names the jobs whose newest run was answered by sample data. */
function sampleLines(
  jobs: readonly JobStatus[],
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  const names = jobs.filter(({ runs }) => runs[0]?.sampleData).map(({ job }) => job);
  if (names.length === 0) return [];
  return wrapped(`${sampleWords}, answered for ${names.join(', ')}`, width).map((line) =>
    styleText('yellow', line, { stream }),
  );
}

/** The path of the input, relative to the working folder where that is shorter. */
function inputName(input: string): string {
  if (!isAbsolute(input)) return input;
  const fromHere = relative(process.cwd(), input);
  return fromHere.length < input.length ? fromHere : input;
}

function timing({ state, startedAt, endedAt, seconds }: JobRun): string {
  const duration = seconds === null ? '' : formatDuration(seconds * 1_000);
  const since = minuteOf(Date.parse(startedAt));
  if (state === 'running') return ` for ${duration}, since ${since}`;
  if (endedAt === null) return `, started ${since}`;
  return ` in ${duration}, started ${since}`;
}

function lookupLines(
  lookups: LookupStatus | null,
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  if (!lookups) return [];
  const { count, lastAt, calls, possiblyCharged } = lookups;
  const times = counted(count, 'lookup', 'lookups');
  const saved = calls.reused + calls.joined;
  const when = minuteOf(Date.parse(lastAt));
  const made = counted(calls.made, 'call', 'calls');
  const line = `${times}: ${made} made, ${number(saved)} saved, last ${when}`;
  return [line, ...doubtfulLines('lookups: ', possiblyCharged, width, stream)];
}

/** `: 270 matched, 20 open`; an empty text when all are 0. */
function listed(start: string, parts: readonly (readonly [number, string])[]): string {
  const some = parts.filter(([amount]) => amount > 0);
  const text = some.map(([amount, name]) => `${number(amount)} ${name}`).join(', ');
  return text === '' ? '' : `${start}${text}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
