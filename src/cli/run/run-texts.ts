import { basename } from 'node:path';
import { type ChangeCounts, type ChangeOp, changeOps } from '../../core/columns/compare-records.ts';
import { type Counts, foundNothing } from '../../core/rules/outcomes.ts';
import { formatSpent } from '../../core/runtime/budget/money.ts';
import { formatDuration } from '../../core/runtime/duration.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { readManifest } from '../../results/export-folder.ts';
import type { ManifestFile, RunEnd } from '../../results/manifest.ts';
import type { ReplacedResult } from '../../run/result-places.ts';
import type { RunExport, WrittenPlace } from '../../run/write-outputs.ts';
import { openJobToRead } from '../../ui/overview/jobs.ts';
import { dashed } from '../command.ts';
import type { Page } from '../terminal/page.ts';
import { counted, formatNumber, fromHere, listed, shellWord } from '../terminal/text.ts';

/** What a run that has finished left behind. */
export interface DoneRun {
  readonly run: Pick<Run, 'hasPeople'>;
  readonly exported: RunExport;
  readonly counts: Counts;
  /** What the next run costs after a held one. */
  readonly nextRun?: string;
}

/** The summary of a run for people: outcomes, calls, files and what to do next. */
export function summaryText(ended: RunEnd, done: DoneRun, given: GivenJob, page: Page): string[] {
  const { run, exported } = done;
  const { rows, calls, wholeRun, changes, held, requests, money } = ended;
  if (!rows || !calls || !wholeRun) throw new Error('a run that has finished has counts');
  const share = rows.total === 0 ? '' : ` (${Math.round((rows.matched / rows.total) * 100)}%)`;
  const took = formatDuration((ended.seconds ?? 0) * 1_000);
  const inAll = (amount: string) =>
    wholeRun.made > calls.made ? `; in the whole run ${amount}` : '';
  const searches = (count: number | null, end: string) =>
    count ? `; ${counted(count, 'search', 'searches')} ${end}` : '';
  const unsure =
    searches(ended.failedSearches, 'failed') +
    searches(ended.incompleteSearches, 'may have more (people_complete)');
  const ways = listed({
    'shared by rows that ask the same': calls.shared,
    'answered before': calls.reused,
    'known under another identifier': calls.joined,
  });
  const stale = counted(
    rows.stale,
    'of these keeps an older answer',
    'of these keep an older answer',
  );
  const title = `${ended.job}: ${counted(rows.total, 'row')} done in ${took}${ended.resumed ? ', pauses included' : ''}${ended.sampleData ? ', of SAMPLE DATA' : ''}`;
  const fields = [
    '',
    ['matched', `${formatNumber(rows.matched)}${share}`],
    ['not found', rows.not_found],
    ['invalid', rows.invalid],
    ['suppressed', rows.suppressed > 0 && rows.suppressed],
    ['failed', rows.failed > 0 && rows.failed, 'red'],
    ['stale', rows.stale > 0 && stale],
    ['people', run.hasPeople && `${formatNumber(ended.people ?? 0)}${unsure}`],
    ['changes', changes?.since && changesSince(changes.since, changes)],
    '',
    ['calls made', `${formatNumber(calls.made)}${inAll(formatNumber(wholeRun.made))}`],
    ['requests', requests > calls.made && `${formatNumber(requests)} that may be charged`],
    ['spent', money && `${formatSpent(ended)}${inAll(formatSpent(wholeRun))}`],
    ['calls saved', `${formatNumber(calls.saved)}${ways && `: ${ways}`}`],
    '',
  ] as const;
  return [
    ...page.wrap(title, '', 'bold'),
    ...(held ?? []).flatMap(({ message }) => page.wrap(`HELD: ${message}`, '', 'red')),
    ...page.fields(fields, 16, '  ').map((line) => line.trimEnd()),
    ...placeLines(exported.places, page, '  '),
    '',
    ...page.fields(advice(ended, done, given)),
  ];
}

/** What to do next. Commands to type begin with blanks. */
function advice(
  { held, failedSearches, limit }: RunEnd,
  { exported, counts, nextRun = '' }: DoneRun,
  given: GivenJob,
): string[] {
  const { rows, files, folder, damagedAnswers } = exported;
  const { not_found, invalid, failed } = rows;
  // Stale rows in the files may also be companies whose miss is not proven: they have not failed.
  const { stale } = counts.rows;
  const shownFolder = fromHere(folder ?? '');
  const lines: string[] = [];
  if (held) lines.push(nextRun, ...heldAdvice(exported, given, fromHere));
  if (rows.total === 0) lines.push('The list has no rows, so the result is empty.');
  if (foundNothing(rows) && !held) {
    lines.push(
      `No company found in ${counted(counts.calls.made + counts.calls.reused, 'lookup')}: is this the right service, country and column? \`dossier lookup\` looks up a company that you know.`,
    );
  }
  if (not_found + invalid > 0 && !held && files.length > 0) {
    // The file that people fix rejects in: a list that can be run again.
    const file =
      files.find(({ name }) => /^rejects\.(?:csv|jsonl)/.test(name)) ??
      files.find(({ table }) => table === 'workbook');
    const shown = file ?? files.find(({ table }) => table === 'rejects');
    const path = `${shownFolder}/${shown?.name ?? 'rejects.*'}`;
    const sheet = file?.table === 'workbook' ? ', sheet Rejects' : '';
    const where = `Rows without a company are in ${path}${sheet}, each with its reason`;
    // A try shows what to expect; the rows that are worth fixing are those of the whole list.
    const isFixable = file && limit === null && !path.includes('://');
    lines.push(
      ...(isFixable
        ? [`${where}. Fix them there, then:`, `  ${fixCommandLine(given, path)}`]
        : [`${where}.`]),
    );
  }
  if (failed + stale + (failedSearches ?? 0) + damagedAnswers > 0) lines.push(retryText(given));
  if (limit !== null) {
    lines.push(
      'This was a try of the first rows. The same command without --limit runs the whole list; what was answered is not paid twice.',
    );
  }
  return lines;
}

/** What to do about a held result; `shown` gives the path of its folder. */
export function heldAdvice(
  { changes, folder }: RunExport,
  given: GivenJob,
  shown: (path: string) => string,
): string[] {
  return [
    folder === null
      ? 'The new result is in the ledger only: `dossier export` with --run and --output shows it.'
      : `The new files are in ${shown(folder)}.`,
    changes.since
      ? `The last good files, of ${changes.since}, have not changed.`
      : 'No other file has changed.',
    'If the result is right, this publishes it without a call:',
    `  ${acceptCommand(given)}`,
    'If not, do nothing: the next good run replaces it.',
  ];
}

/** The job as it stands on the command line, with the flags that a command advised for it needs, too. */
export interface GivenJob extends JobFlags {
  readonly job: string;
  /** The command is `fix`. */
  readonly isFix?: boolean;
}

/** Says which result a run replaces, if it is published, and how to export the old one again. */
export function replacedText(
  { folder, run, input, rows }: ReplacedResult,
  now: { readonly input: string; readonly rows: number },
  given: GivenJob,
): string {
  const shown = fromHere(folder);
  const old = counted(rows, 'row');
  const again = exportCommand({ ...given, output: `${shown}-${run}` }, run);
  return (
    `${shown} holds ${old} of ${basename(input)}; unless its result is held, this run replaces them by ${counted(now.rows, 'row')} of ${basename(now.input)}. ` +
    `To have the ${old} again, without a call: ${again}`
  );
}

/**
 * Says of a run with --output what becomes of the regular folder of its job, where a result of the job stands: the
 * next run is compared with this one, wherever its files went.
 */
export async function sideCopyNotes(job: ResolvedJob, given: GivenJob): Promise<string[]> {
  const { output, ledger } = given;
  if (output === undefined || given.limit !== undefined) return [];
  const own = openJobToRead(given.job, { ...given, output: undefined }).output.path;
  const isOwn = own === job.output.path && !job.output.isLeftOut;
  const standing = isOwn ? undefined : await readManifest(own);
  if (standing?.job !== job.name) return [];
  const folder = fromHere(own);
  const copy = commandLine(['export', given.job], { output, ledger });
  return [
    `${folder} keeps the files of ${standing.run}. The next run is compared with this one, so changes.* there will not tell what it finds. A copy elsewhere, without a run: ${copy}`,
  ];
}

/** The command that publishes a held result. */
export function acceptCommand({ job, output, ledger }: GivenJob): string {
  return commandLine(['export', job, '--accept'], { output, ledger });
}

/** The command that writes the files of a run again. */
export function exportCommand({ job, output, ledger }: GivenJob, run: string): string {
  return commandLine(['export', job, '--run', run], { output, ledger });
}

/** The command that takes a fixed rejects file back into the list. */
export function fixCommandLine({ job, input, output, ...given }: GivenJob, file: string): string {
  const { url, keyFile, ledger, rate, column, as } = given;
  const flags = { url, keyFile, ledger, rate, column, as };
  if (job !== '-') return commandLine(['fix', job, file], { input, output, ...flags });
  // A bare list from standard input is gone, so that its rejects are a list of their own.
  const sheet = file.endsWith('.xlsx') ? 'Rejects' : undefined;
  return commandLine(['run', file], { ...flags, sheet });
}

/** The command that asks again for what failed. */
export function retryText({ job, isFix = false }: GivenJob): string {
  const command = isFix
    ? `\`dossier run ${shellWord(job)}\` retries`
    : 'Run the same command again to retry';
  return `${command} what failed; what was answered is not paid twice.`;
}

/** `run a.csv` and `{ url: 'embedded', column: ['a', 'b'] } → dossier run a.csv --url embedded --column a --column b` */
function commandLine(words: readonly string[], flags: JobFlags): string {
  const flagWords = Object.entries(flags).flatMap(([flag, value]) =>
    [value ?? []].flat().flatMap((word) => [`--${dashed(flag)}`, String(word)]),
  );
  return ['dossier', ...words, ...flagWords].map(shellWord).join(' ');
}

/** Every file of a result with what it holds; where a place has none, what became of it. */
export function placeLines(
  places: readonly WrittenPlace[],
  page: Page,
  indent = '',
  more: [name: string, about: string][] = [],
): string[] {
  const lines = [...places.flatMap(linesOf), ...more];
  const nameWidth = Math.max(...lines.map(([name]) => name.length)) + 2;
  return lines.flatMap(([name, about]) => {
    const color = about === notWritten ? 'red' : undefined;
    const line = `${indent}${name.padEnd(nameWidth)}`;
    // A path is never broken: people copy it.
    return line.length + about.length > page.width
      ? [indent + name, ...page.wrap(about, `${indent}  `, color)]
      : page.field(line, about, line.length, color);
  });
}

const notWritten = 'NOT WRITTEN, see below';

function linesOf({ kind, address, summary, failed, leftOut }: WrittenPlace): [string, string][] {
  const place = fromHere(address);
  if (failed) return [[place, notWritten]];
  if (!summary) return [[place, `not written. ${leftOut}`]];
  const { rows, isSame, files, unchanged, changes } = summary;
  const gap: [string, string][] = changes.missing
    ? [[place, `the changes of ${changes.missing.join(', ')} are missing: pruned before delivery`]]
    : [];
  if (kind === 'postgres') {
    const loaded = `${counted(rows.total, 'row')}${isSame ? ', unchanged' : ' loaded'}`;
    return [[place, loaded], ...gap];
  }
  const written = files.map((file): [string, string] => [
    `${place}/${file.name}`,
    fileText(file, unchanged),
  ]);
  return [...written, ...gap];
}

/** What is in a written file: `204 records`, or `Companies 204, Rejects 76` of a workbook. */
export function fileText(
  { name, rows, sheets, cutCells = 0 }: ManifestFile,
  unchanged: readonly string[],
): string {
  const records = sheets
    ? sheets.map((sheet) => `${sheet.name} ${formatNumber(sheet.rows)}`).join(', ')
    : counted(rows, 'record');
  const cells = counted(cutCells, 'cell is', 'cells are');
  const cut = cutCells > 0 ? `; ${cells} cut off at 32,767 characters (CSV holds all)` : '';
  return `${records}${unchanged.includes(name) ? ', unchanged' : ''}${cut}`;
}

/** What happened, in the words that follow a number. */
export const changeWords: Record<ChangeOp, readonly [one: string, many: string]> = {
  row_added: ['row added', 'rows added'],
  row_removed: ['row removed', 'rows removed'],
  company_found: ['company found', 'companies found'],
  company_lost: ['company lost', 'companies lost'],
  company_replaced: ['company replaced', 'companies replaced'],
  company_changed: ['company changed', 'companies changed'],
  person_joined: ['person joined', 'people joined'],
  person_left: ['person left', 'people left'],
  person_changed: ['person changed', 'people changed'],
};

export function totalChanges(counts: ChangeCounts): number {
  return changeOps.reduce((sum, op) => sum + counts[op], 0);
}

/** `3 companies found, 1 person joined`; an empty text where nothing changed. */
export function listChanges(counts: ChangeCounts): string {
  return changeOps
    .filter((op) => counts[op] > 0)
    .map((op) => counted(counts[op], ...changeWords[op]))
    .join(', ');
}

/** `4 since r29: 3 companies found, 1 person joined` */
function changesSince(since: string, counts: ChangeCounts): string {
  const total = totalChanges(counts);
  if (total === 0) return `none since ${since}`;
  return `${total.toLocaleString('en')} since ${since}: ${listChanges(counts)}`;
}
