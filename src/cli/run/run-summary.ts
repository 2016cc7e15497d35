import { styleText } from 'node:util';
import { foundNothing } from '../../rules/found-nothing.ts';
import { savedCalls } from '../../rules/saved-calls.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { formatMoney, formatMonies, moneyOf } from '../../runtime/budget/money.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { ManifestFile, RunEnd } from '../../sinks/manifest.ts';
import { changesSince } from '../changes/count-changes.ts';
import { placeFromHere, placeLines } from '../places.ts';
import { counted, formatNumber, widthOf, wrapped } from '../terminal/text.ts';
import {
  acceptCommand,
  fixCommandLine,
  type GivenJob,
  lookCommand,
  retryText,
} from './start-texts.ts';

const labelWidth = 14;

/** The summary of a run for people: outcomes, calls, files and what to do next. */
export function summaryText(
  ended: RunEnd,
  { run, exported }: Pick<RunSummary, 'run' | 'exported'>,
  given: GivenJob,
  stream: NodeJS.WriteStream,
) {
  const { rows, calls, wholeRun, changes, held, requests, money } = ended;
  if (!rows || !calls || !wholeRun) throw new Error('a run that has finished has counts');
  const bold = (text: string) => styleText('bold', text, { stream });
  const share = rows.total === 0 ? '' : ` (${Math.round((rows.matched / rows.total) * 100)}%)`;
  const folder = placeFromHere(exported.folder ?? '');
  const width = widthOf(stream);
  const written = placeLines(exported.places);
  const pathWidth = Math.max(0, ...written.map(({ name }) => name.length)) + 2;
  const took = formatDuration((ended.seconds ?? 0) * 1_000);
  const hasEarlier = wholeRun.made > calls.made;
  const inAll = (amount: string) => (hasEarlier ? `, ${amount} in the whole run` : '');
  const paid = money && formatMoney(moneyOf(money));

  const lines = [
    bold(
      `${ended.job}: ${counted(rows.total, 'row', 'rows')} done in ${took}${ended.resumed ? ', pauses included' : ''}${ended.sampleData ? ', of SAMPLE DATA' : ''}`,
    ),
    ...(held ?? []).flatMap(({ message }) =>
      wrapped(`HELD: ${message}`, width).map((line) => styleText('red', line, { stream })),
    ),
    '',
    field('matched', `${formatNumber(rows.matched)}${share}`),
    field('not found', formatNumber(rows.not_found)),
    field('invalid', formatNumber(rows.invalid)),
    ...(rows.failed > 0
      ? [field('failed', styleText('red', formatNumber(rows.failed), { stream }))]
      : []),
    ...(rows.stale > 0
      ? fitted('stale', `${formatNumber(rows.stale)} of these keep an older answer`, width)
      : []),
    ...(run.hasPeople
      ? fitted('people', `${formatNumber(ended.people ?? 0)}${unsure(ended)}`, width)
      : []),
    ...(changes?.since ? fitted('changes', changesSince(changes.since, changes), width) : []),
    '',
    field('calls made', `${formatNumber(calls.made)}${inAll(formatNumber(wholeRun.made))}`),
    ...(requests > calls.made
      ? [field('requests', `${formatNumber(requests)} that may be charged`)]
      : []),
    ...(paid ? [field('paid', `${paid}${inAll(formatMonies(wholeRun.money.map(moneyOf)))}`)] : []),
    ...savings(calls, width),
    '',
    ...written.map(({ name, about, isTrouble }) =>
      field(name, isTrouble ? styleText('red', about, { stream }) : about, pathWidth),
    ),
    '',
    ...advice(ended, exported, given, folder).flatMap((text) =>
      text.startsWith(' ') ? [text] : wrapped(text, width),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Says that there may be more people than were received. */
function unsure({ incompleteSearches }: RunEnd): string {
  if (!incompleteSearches) return '';
  const searches = counted(incompleteSearches, 'search', 'searches');
  return `; ${searches} may have more (people_complete)`;
}

function savings(calls: NonNullable<RunEnd['calls']>, width: number): string[] {
  const { shared, reused, joined } = calls;
  const ways = [
    shared > 0 ? `${formatNumber(shared)} shared by rows that ask the same` : '',
    reused > 0 ? `${formatNumber(reused)} answered before` : '',
    joined > 0 ? `${formatNumber(joined)} known under another identifier` : '',
  ].filter(Boolean);
  const text = ways.length === 0 ? '0' : `${formatNumber(savedCalls(calls))}: ${ways.join(', ')}`;
  return fitted('calls saved', text, width);
}

function advice(
  { held, failedSearches, sampleData, limit, run }: RunEnd,
  exported: RunSummary['exported'],
  given: GivenJob,
  folder: string,
): string[] {
  const { not_found, invalid, failed, stale } = exported.counts;
  const lines: string[] = [];
  if (held) {
    if (exported.folder === null) {
      lines.push('The result is held in the ledger, and no file was changed. To look at it:');
      lines.push(`  ${lookCommand(given, run ?? '')}`);
    } else lines.push(`The files are held in ${folder}, and no other file was changed.`);
    lines.push(
      'The next run asks again for what was not found. If the result is right, this publishes it, without a call:',
      `  ${acceptCommand(given)}`,
    );
  }
  if (foundNothing(exported.counts) && !sampleData) {
    lines.push(
      'No row has found its company. Are the country and the columns of the job right? `dossier lookup` asks for a company that you know.',
    );
  }
  if (not_found + invalid > 0 && !held && exported.files.length > 0) {
    const file = rejectsIn(exported.files);
    const sheet = file?.table === 'workbook' ? 'Rejects' : undefined;
    const shown = file ?? exported.files.find(({ table }) => table === 'rejects');
    const path = `${folder}/${shown?.name ?? 'rejects.*'}`;
    const place = `${path}${sheet ? `, sheet ${sheet}` : ''}`;
    const where = `Rows without a company are in ${place}, each with its reason`;
    // A try shows what to expect; the rows that are worth fixing are those of the whole list.
    if (!file || limit !== null || path.includes('://')) lines.push(`${where}.`);
    else {
      lines.push(`${where}. Fix them there, then:`);
      lines.push(`  ${fixCommandLine(given, path)}`);
    }
  }
  if (failed + stale + (failedSearches ?? 0) + exported.damagedAnswers > 0) {
    lines.push(retryText(given));
  }
  if (limit !== null) {
    lines.push(
      'This was a try of the first rows. The same command without --limit runs the whole list; what was answered is not paid twice.',
    );
  }
  return lines;
}

/** The file that people fix rejects in: a list that can be run again. */
function rejectsIn(files: readonly ManifestFile[]): ManifestFile | undefined {
  const lines = files.find(({ name }) => /^rejects\.(?:csv|jsonl)/.test(name));
  return lines ?? files.find(({ table }) => table === 'workbook');
}

/** A field whose text goes on below itself where the terminal is narrow. */
function fitted(name: string, text: string, width: number): string[] {
  return wrapped(text, width - labelWidth - 2).map((line, index) =>
    field(index === 0 ? name : '', line),
  );
}

function field(name: string, value: string, width = labelWidth): string {
  return `  ${name.padEnd(width)}${value}`;
}
