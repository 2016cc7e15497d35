import { basename } from 'node:path';
import { type ChangeCounts, everyChangeOp } from '../../core/columns/compare-records.ts';
import type { Breach } from '../../core/rules/expectations.ts';
import { type Counts, foundNothing } from '../../core/rules/outcomes.ts';
import { formatDuration } from '../../core/values/duration.ts';
import { counted, formatNumber, formatShare } from '../../core/values/format.ts';
import { formatPaid, formatSpent } from '../../core/values/money.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import type { ManifestFile } from '../../results/manifest.ts';
import type { RunTally } from '../../results/tally/run-tally.ts';
import type { SpentSoFar } from '../../run/calls/start-budget.ts';
import type { ReplacedResult } from '../../run/export/destinations.ts';
import type { RunExport } from '../../run/export/export-run.ts';
import type { WrittenDestination } from '../../run/export/write-destinations.ts';
import type { RunEnd } from '../../run/run-schemas.ts';
import { changesText, runNouns, savedCalls, serviceRows } from '../../run/run-words.ts';
import { reasonWords } from '../../ui/words/labels.ts';
import type { Page } from '../terminal/text.ts';
import { commandLine, jobFor } from '../terminal/text.ts';

export interface DoneRun {
  readonly run: { readonly hasPeople: boolean };
  readonly exported: RunExport;
  readonly counts: Counts;
  /** The price that was shown before the first call. */
  readonly planned?: string | undefined;
  /** Of this start. */
  readonly spend?: SpentSoFar['spend'] | undefined;
  /** Why rows have no company; empty if the result is the one before. */
  readonly reasons?: RunTally['reasons'];
  /** After a held run: the calls and price of the next one, in a sentence. */
  readonly nextRun?: string;
}

/** `3: 2 not a domain, 1 free mail` */
function invalidText(number: number, { reasons = [] }: DoneRun) {
  const some = reasons
    .filter(({ status }) => status === 'invalid')
    .map(({ reason, rows }) => `${formatNumber(rows)} ${reasonWords(reason)}`);
  return [formatNumber(number), ...(some.length > 0 ? [some.join(', ')] : [])].join(': ');
}

export function summaryText(ended: RunEnd, done: DoneRun, given: GivenJob, page: Page): string[] {
  const { rows, calls, wholeRun, changes, held, requests } = ended;
  if (!rows || !calls || !wholeRun) throw new Error('a run that has finished has counts');
  const share = rows.total === 0 ? '' : ` (${formatShare(rows.matched / rows.total)})`;
  const inAll = (amount: string) =>
    wholeRun.made > calls.made ? `; in the whole run ${amount}` : '';
  const { failedSearches, incompleteSearches } = ended;
  const spent = formatSpent(ended);
  const missed = formatPaid(ended.missMoney ?? []);
  const missedInAll = formatPaid(wholeRun.missMoney);
  const pages = (done.spend ?? []).filter(({ operation }) => operation === 'people');
  const sumOf = (count: 'requests' | 'misses') => pages.reduce((sum, one) => sum + one[count], 0);
  const empty = sumOf('misses');
  const unsure = [
    failedSearches ? `; ${counted(failedSearches, ...runNouns.failedSearches)}` : '',
    incompleteSearches
      ? `; ${counted(incompleteSearches, ...runNouns.incompleteSearches)} (see column people_complete)`
      : '',
  ].join('');
  const title = [
    `${ended.job}: ${counted(rows.total, 'row')} done in ${formatDuration((ended.seconds ?? 0) * 1_000)}`,
    ended.resumed && 'pauses included',
    ended.sampleData && 'with SAMPLE DATA',
  ];
  const fields = [
    '',
    ['found', formatNumber(rows.matched) + share],
    ['not found', formatNumber(rows.not_found)],
    ['invalid', invalidText(rows.invalid, done)],
    ['failed', rows.failed > 0 && formatNumber(rows.failed), 'red'],
    ['suppressed', rows.suppressed > 0 && formatNumber(rows.suppressed)],
    ['stale', rows.stale > 0 && counted(rows.stale, ...runNouns.stale)],
    ['people', done.run.hasPeople && formatNumber(ended.people ?? 0) + unsure],
    ['changes', changes?.since && changesSince(changes.since, changes)],
    '',
    [
      'calls made',
      formatNumber(calls.made) +
        (calls.failed > 0 ? `; ${formatNumber(calls.failed)} failed` : '') +
        inAll(formatNumber(wholeRun.made)),
    ],
    ...serviceRows(ended.services, done.run.hasPeople).map(
      ([name, calls]) => [`  ${name}`, calls] as const,
    ),
    [
      '  pages',
      empty > 0 && `${formatNumber(sumOf('requests'))} of people, ${formatNumber(empty)} empty`,
    ],
    [
      'with retries',
      requests > calls.made && `${counted(requests, 'call')}, as in \`spend\`; each may be charged`,
    ],
    ['spent', spent !== '' && spent + (done.planned ?? '') + inAll(formatSpent(wholeRun))],
    // Several services show it beside their calls.
    [
      '  for misses',
      !ended.services && missedInAll !== '' && (missed || 'nothing') + inAll(missedInAll),
    ],
    [
      'calls saved',
      `${formatNumber(calls.saved)}${calls.saved > 0 ? `: ${savedCalls(calls)}` : ''}`,
    ],
    '',
  ] as const;
  return [
    ...page.wrap(title.filter(Boolean).join(', '), '', 'bold'),
    ...(held ?? []).flatMap(({ message }) => page.wrap(`HELD: ${message}`, '', 'red')),
    ...(ended.warnings ?? []).flatMap(({ message }) =>
      page.wrap(`WARNING: ${message}`, '', 'yellow'),
    ),
    ...page.fields(fields, 16, '  ').map((line) => line.trimEnd()),
    ...destinationLines(done.exported.destinations, page, '  '),
    '',
    ...page.fields(advice(ended, done, given)),
  ];
}

function advice(
  { held, failedSearches, limit }: RunEnd,
  { exported, counts, nextRun = '' }: DoneRun,
  given: GivenJob,
) {
  const { rows, files, folder, damagedAnswers } = exported;
  const { made, reused } = counts.calls;
  const lines: string[] = [];
  if (held) lines.push(nextRun, ...heldAdvice(held, exported, given, fromHere));
  if (rows.total === 0) lines.push('The list has no rows, so the result is empty.');
  if (foundNothing(rows) && !held) {
    lines.push(
      `No company found in ${counted(made + reused, 'call')}: is this the right service, country and column?`,
    );
  }
  if (rows.not_found + rows.invalid > 0 && !held && files.length > 0) {
    // People can edit CSV, JSON Lines and a workbook, but not Parquet.
    const file =
      files.find(({ name }) => /^rejects\.(?:csv|jsonl)/.test(name)) ??
      files.find(({ table }) => table === 'workbook');
    const shown = file ?? files.find(({ table }) => table === 'rejects');
    const path = `${fromHere(folder ?? '')}/${shown?.name ?? 'rejects.*'}`;
    const sheet = file?.table === 'workbook' ? ', sheet Rejects' : '';
    lines.push(`Rows without a company are in ${path}${sheet}, each with its reason.`);
    // Not after a `--limit` run, because `fix` needs a finished run of the whole list.
    if (file && limit === null && !path.includes('://')) {
      lines.push('Correct them in that file, then run:', `  ${fixCommandLine(given, path)}`);
    }
  }
  // Uses `counts.rows.stale`, because `rows.stale` also counts rows that keep their company after a
  // first miss. No call failed for those.
  const failed = rows.failed + counts.rows.stale + (failedSearches ?? 0) + damagedAnswers.size;
  if (failed > 0) lines.push(retryText(given));
  if (limit !== null) {
    lines.push(
      'This was a trial run. Its answers are not paid for again. To run the whole list:',
      `  ${runLine(given)}`,
    );
  }
  return lines;
}

export function heldAdvice(
  held: readonly Breach[],
  { folder }: RunExport,
  given: GivenJob,
  formatPath: (path: string) => string,
): string[] {
  return [
    folder === null
      ? 'The new result is only in the ledger. To see it, use `dossier export` with --run and --output.'
      : `The new files are in ${formatPath(folder)}.`,
    'No published result was changed.',
    'If the result is right, publish it (this makes no call):',
    `  ${exportLine(given, '--accept')}`,
    'If not, do nothing: the next good run replaces it.',
    ...(held.some(({ fields }) => fields)
      ? [
          'Runs reuse these answers while they are fresh. When the service is right again, fetch new ones with --refresh all.',
        ]
      : []),
  ];
}

export interface GivenJob extends JobFlags {
  readonly job: string;
  readonly isFix?: boolean;
  readonly newLedger?: boolean;
}

export function replacedText(
  { folder, run, input, rows }: ReplacedResult,
  given: GivenJob,
): string {
  const shown = fromHere(folder);
  const again = exportLine({ ...given, output: `${shown}-${run}` }, '--run', run);
  return `${shown} has ${counted(rows, 'row')} of ${run}, from ${basename(input)} as it was then. This run replaces them. To write them to another folder: ${again}`;
}

export function exportLine({ job, ...flags }: GivenJob, ...words: string[]): string {
  return commandLine('export', [jobFor('export', job, flags), ...words], flags);
}

function runLine({ job, ...flags }: GivenJob) {
  return commandLine('run', [job], flags);
}

export function fixCommandLine({ job, ...flags }: GivenJob, file: string): string {
  if (job !== '-') return commandLine('fix', [job, file], flags);
  // Standard input cannot be read again, so its rejects become a list of their own.
  const sheet = file.endsWith('.xlsx') ? 'Rejects' : undefined;
  const { input: _, output: _others, ...others } = flags;
  return commandLine('run', [file], { ...others, sheet });
}

export function retryText({ isFix = false, ...given }: GivenJob): string {
  const command = isFix ? `\`${runLine(given)}\` retries` : 'Run it again to retry';
  return `${command} what failed; answers are not paid for twice.`;
}

export function destinationLines(
  destinations: readonly WrittenDestination[],
  page: Page,
  indent: string,
  more: [name: string, about: string][] = [],
): string[] {
  const lines = [...destinations.flatMap(linesOf), ...more];
  const nameWidth = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.flatMap(([name, about]) => {
    const color = about === notWritten ? 'red' : undefined;
    const line = `${indent}${name.padEnd(nameWidth)}`;
    // People copy paths, so they are never wrapped.
    return line.length + about.length > page.width
      ? [indent + name, ...page.wrap(about, `${indent}  `, color)]
      : page.field(line, about, line.length, color);
  });
}

const notWritten = 'NOT WRITTEN, see below';

function linesOf({ address, summary, failed, leftOut }: WrittenDestination): [string, string][] {
  const destination = fromHere(address);
  if (failed) return [[destination, notWritten]];
  if (!summary) return [[destination, `not written. ${leftOut}`]];
  const { rows, isSame, files, unchanged, changes } = summary;
  const written: [string, string][] =
    files.length === 0
      ? [[destination, counted(rows.total, 'row') + (isSame ? ', unchanged' : ' loaded')]]
      : files.map((file) => {
          const found = file.table === 'companies' ? `, ${formatNumber(rows.matched)} found` : '';
          return [`${destination}/${file.name}`, fileText(file, unchanged, found)];
        });
  const gap = changes.missing?.join(', ');
  return gap
    ? [...written, [destination, `lacks the changes of ${gap}, which were pruned`]]
    : written;
}

const rowsText = (rows: number) => counted(rows, 'row');
const wordsOfTable = {
  people: (rows: number) => counted(rows, 'person', 'people'),
  changes: (rows: number) => counted(rows, 'change'),
};

export function fileText(
  { name, table, rows, sheets, cutCells = 0 }: ManifestFile,
  unchanged: readonly string[],
  found = '',
): string {
  const records = sheets
    ? sheets.map((sheet) => `${sheet.name} ${formatNumber(sheet.rows)}`).join(', ')
    : (wordsOfTable[table as keyof typeof wordsOfTable] ?? rowsText)(rows) + found;
  const same = unchanged.includes(name) ? ', unchanged' : '';
  const cut = `; ${counted(cutCells, 'cell')} cut at 32,767 characters (--format csv keeps the full text)`;
  return records + same + (cutCells > 0 ? cut : '');
}

function changesSince(since: string, counts: ChangeCounts) {
  const total = everyChangeOp.reduce((sum, op) => sum + (counts[op] ?? 0), 0);
  if (total === 0) return `none since ${since}`;
  return `${formatNumber(total)} since ${since}: ${changesText(counts)}`;
}
