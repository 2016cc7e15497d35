import { errorCatalog, isErrorCode } from '../core/errors.ts';
import { formatDuration } from '../core/values/duration.ts';
import { counted, formatMinute, formatNumber } from '../core/values/format.ts';
import { asSentence } from '../core/values/printable.ts';
import { type JobStatus, readStatus } from '../facts/status.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { userLedger } from '../run/jobs/find-ledger.ts';
import { otherLedgerNotes, readPastJob } from '../run/jobs/read-job.ts';
import { lagText } from '../run/run-facts.ts';
import type { RunState } from '../run/run-schemas.ts';
import { callsText, costText, outcomesText, runNouns, serviceRows } from '../run/run-words.ts';
import { command } from './parts/command.ts';
import { jobFlags, or, text, wholeNumber } from './parts/options.ts';
import { openToLook } from './parts/read-ledger.ts';
import { describeSnapshots, snapshotLines } from './parts/snapshot-facts.ts';
import type { Page } from './terminal/text.ts';
import { nameJob, shortened } from './terminal/text.ts';

export const status = command({
  options: {
    job: text('Job file (.yaml), list that was run, or job name (default: every job)'),
    runs: or(
      5,
      wholeNumber(
        'Number of runs to show: the last complete run first, then the newest',
        [1, 10_000],
      ),
    ),
    ...jobFlags('ledger'),
  },
  examples: {
    '$0 status jobs/demo.yaml': 'show the newest runs of a job',
    '$0 status --ledger output/demo/ledger.db': 'show every job of a ledger',
    '$0 status jobs/demo.yaml --runs 1 --json': 'print the last complete run as JSON',
  },
  async facts({ job: given, runs, ledger }, terminal) {
    const job = readPastJob(given, { ledger });
    // If the store is unreachable, `snapshot` contains the error.
    await using look = await openToLook(job).catch(() => undefined);
    const { status: found, notes } = readStatus(given, runs, job, look?.path ?? job.ledger);
    const isSample = given === undefined && job.ledgerPlace === 'sample';
    terminal.note(
      ...otherLedgerNotes(job),
      ...notes,
      ...(isSample ? [`For runs on a service, add --ledger ${fromHere(userLedger())}`] : []),
    );
    return { ...found, snapshot: await describeSnapshots(job) };
  },
  text({ jobs, ledger, lookups, snapshot }, page, args) {
    const blocks = [
      ...(args.job === undefined
        ? [tableOf(jobs, page)]
        : jobs.map((job) => jobLines(job, ledger, page))),
      lookups
        ? [
            ...page.wrap(
              `${counted(lookups.count, '`lookup` command')}, last ${formatMinute(lookups.lastAt)}`,
            ),
            ...chargedLines('lookups: ', lookups.possiblyCharged, page),
          ]
        : [],
      page.fields(snapshotLines(snapshot).map(nameJob)),
    ];
    const shown = blocks.filter((block) => block.length > 0);
    return shown.flatMap((block, at) => (at === 0 ? block : ['', ...block]));
  },
});

type JobRun = JobStatus['runs'][number];
type StartStatus = JobStatus['starts'][number];

/** All other states are yellow, because the user has to act. */
const calmColors: Partial<Record<RunState, 'cyan' | 'green' | 'dim'>> = {
  running: 'cyan',
  finished: 'green',
  superseded: 'dim',
};
const colorOf = (state: RunState) => calmColors[state] ?? 'yellow';

const sampleWords = 'SAMPLE DATA: made-up companies, no real service';

const tryWord = (limit: number | null) => (limit === null ? '' : 'try, ');

function tableOf(jobs: readonly JobStatus[], page: Page) {
  const newest = jobs.flatMap(({ runs: [run] }) => run ?? []);
  const samples = newest.filter(({ sampleData }) => sampleData).map(({ job }) => job);
  const lines = newest.map(({ job, state, limit, rows, calls, startedAt }) => ({
    job,
    state: tryWord(limit) + state,
    rows: rows.total,
    found: rows.matched,
    open: rows.open,
    calls: calls.made,
    started: startedAt,
  }));
  const table = page.table(lines, '', (line, at) => {
    const state = newest[at]?.state ?? 'finished';
    return line.replace(state, (word) => page.style(colorOf(state), word));
  });
  return [
    ...(samples.length > 0
      ? page.wrap(`${sampleWords}, answered for ${samples.join(', ')}`, '', 'yellow')
      : []),
    ...table,
    ...jobs.flatMap(({ job, starts: [last] }) => {
      if (!last || !isBad(last)) return [];
      const { end, on } = lineOf(last);
      const line = `${job}: last start ${formatMinute(last.startedAt)} on ${on}: ${end}`;
      return page.wrap(line, '', 'yellow');
    }),
    ...jobs.flatMap((job) => lagLines(job, page, `${job.job}: `)),
    ...newest.flatMap((run) => chargedLines(`${run.job}: `, run.possiblyCharged, page)),
  ];
}

const indent = '    ';
const goOn = 'Run the same command again, with the same flags, to continue.';
const nextSteps: Partial<Record<RunState, string>> = {
  stopped: goOn,
  killed: goOn,
  incomplete: goOn,
  held: '`dossier export <job> --accept` publishes the result. Otherwise the next good run replaces it.',
};

function jobLines(job: JobStatus, ledger: string, page: Page) {
  const { runCount, runs, starts } = job;
  const title = `${job.job}: ${counted(runCount, 'run')} in ${fromHere(ledger)}`;
  const hidden = runCount - runs.length;
  return [
    page.bold(shortened(title, page.width)),
    ...lagLines(job, page),
    ...runs.flatMap((run) => ['', ...runLines(run, page)]),
    ...(hidden > 0 ? ['', `${counted(hidden, 'older run')}; --runs shows more`] : []),
    '',
    ...page.table(starts.map(lineOf), '', (line, at) => {
      const start = starts[at];
      return start && isBad(start) ? page.style('yellow', line) : line;
    }),
  ];
}

/** Destinations without the last published run, why, and what to do. */
function lagLines({ destinations }: JobStatus, page: Page, start = '') {
  return destinations.flatMap((destination) => {
    const { address, behind, reason, failed, leftOut } = destination;
    if (behind === 0) return [];
    const why = asSentence(failed ?? leftOut ?? '');
    const remedy = isErrorCode(reason) ? nameJob(errorCatalog[reason].remedy) : '';
    return [
      ...page.wrap(`${start}${fromHere(address)}: ${lagText(destination)}. ${why}`, '', 'yellow'),
      ...page.fields([remedy]),
    ];
  });
}

function runLines(run: JobRun, page: Page) {
  const { rows, calls, people, failedSearches, state } = run;
  const next = nextSteps[state];
  const outcomes = outcomesText(rows);
  const failed = failedSearches > 0 && counted(failedSearches, ...runNouns.failedSearches);
  const [first = '', ...more] = page.field(
    run.run,
    `${tryWord(run.limit)}${state}${run.held ? ', finished' : ''}${timing(run)}`,
    indent.length,
  );
  const fields = [
    run.acceptedAt && `accepted ${formatMinute(run.acceptedAt)}, after it was held`,
    ...(run.held ?? []).map(({ message }) => ['held', message, 'yellow'] as const),
    ...(run.warnings ?? []).map(({ message }) => ['warning', message, 'yellow'] as const),
    ['data', run.sampleData && sampleWords, 'yellow'],
    ['input', shortened(fromHere(run.list), page.width - 12)],
    ['', run.prunedAt && 'pruned: its rows are no longer in the ledger'],
    ['', run.limit && `trial run of the first rows (--limit ${run.limit})`],
    ['rows', `${formatNumber(rows.total)}${outcomes && `: ${outcomes}`}`],
    ['calls', callsText(calls)],
    ...serviceRows(run.services, people + failedSearches > 0).map(
      ([name, calls]) => ['', `${name} ${calls}`] as const,
    ),
    ['spent', costText(run, calls.made + calls.failed) || null],
    [
      'people',
      people + failedSearches > 0 && `${formatNumber(people)}${failed ? `; ${failed}` : ''}`,
    ],
    ['files', run.folder && `in a separate folder: ${fromHere(run.folder)}`],
  ] as const;
  return [
    first.replace(state, (word) => page.style(colorOf(state), word)),
    ...more,
    ...page.fields(fields, 12, indent),
    ...chargedLines(indent, run.possiblyCharged, page),
    ...(next === undefined ? [] : page.fields([nameJob(next)], 12, indent)),
  ];
}

const chargedShown = 10;

/** Users compare these calls with the bill. */
export function chargedLines(start: string, requests: readonly string[], page: Page): string[] {
  if (requests.length === 0) return [];
  const [blanks = ''] = /^ */.exec(start) ?? [];
  const more = requests.length - chargedShown;
  const title = `${start.trimStart()}${counted(requests.length, ...runNouns.possiblyCharged)}:`;
  return [
    ...page.wrap(title, blanks, 'yellow'),
    ...requests.slice(0, chargedShown).map((call) => `      ${shortened(call, page.width - 6)}`),
    ...(more > 0 ? [`      and ${formatNumber(more)} more: see status --json`] : []),
  ];
}

/** After exit codes 0 and 3 the files are complete. */
function isBad({ state, exitCode }: StartStatus) {
  return state === 'killed' || ![null, 0, 3].includes(exitCode);
}

function lineOf({ startedAt, state, run, exitCode, reason, seconds, host }: StartStatus) {
  const code = exitCode === null ? state : `exit ${exitCode}`;
  return {
    start: startedAt,
    run: run ?? '-',
    end: reason === null ? code : `${code} ${reason}`,
    took: seconds === null ? '' : formatDuration(seconds * 1_000),
    on: host,
  };
}

function timing({ state, startedAt, endedAt, seconds }: JobRun) {
  const duration = formatDuration((seconds ?? 0) * 1_000);
  const since = formatMinute(startedAt);
  if (state === 'running') return ` for ${duration}, since ${since}`;
  return endedAt === null ? `, started ${since}` : ` in ${duration}, started ${since}`;
}
