import { styleText } from 'node:util';
import { runName, timeTaken } from '../../ledger/runs/runs.ts';
import { foundNothing } from '../../rules/found-nothing.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import { savedCalls } from '../../rules/saved-calls.ts';
import type { RunSummary } from '../../run/run-job.ts';
import { formatMoney, formatMonies } from '../../runtime/budget/money.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { ManifestFile } from '../../sinks/manifest.ts';
import { changesSince } from '../changes/count-changes.ts';
import { placeFromHere, placeLines } from '../places.ts';
import { counted, widthOf, wrapped } from '../terminal/text.ts';
import {
  acceptCommand,
  fixCommandLine,
  type GivenJob,
  lookCommand,
  retryText,
} from './start-texts.ts';

const labelWidth = 14;

/** The summary of a run for people: outcomes, calls, files and what to do next. */
export function summaryText(summary: RunSummary, given: GivenJob, stream: NodeJS.WriteStream) {
  const { run, isResumed, counts, endedAt, callsBefore, requests, money, held, exported } = summary;
  const { rows, matched, not_found, invalid, failed, stale, people } = exported.counts;
  const { changesSince: since } = exported;
  const bold = (text: string) => styleText('bold', text, { stream });
  const share = rows === 0 ? '' : ` (${Math.round((matched / rows) * 100)}%)`;
  const made = answeredCalls(counts.calls) - callsBefore;
  const folder = placeFromHere(exported.folder ?? '');
  const width = widthOf(stream);
  const isSample = run.service === sampleData;
  const written = placeLines(exported.places);
  const pathWidth = Math.max(0, ...written.map(({ name }) => name.length)) + 2;

  const lines = [
    bold(
      `${run.job}: ${counted(rows, 'row', 'rows')} done in ${timeTaken(run, endedAt)}${isResumed ? ', pauses included' : ''}${isSample ? ', of SAMPLE DATA' : ''}`,
    ),
    ...(held ?? []).flatMap(({ message }) =>
      wrapped(`HELD: ${message}`, width).map((line) => styleText('red', line, { stream })),
    ),
    '',
    field('matched', `${number(matched)}${share}`),
    field('not found', number(not_found)),
    field('invalid', number(invalid)),
    ...(failed > 0 ? [field('failed', styleText('red', number(failed), { stream }))] : []),
    ...(stale > 0 ? fitted('stale', `${number(stale)} of these keep an older answer`, width) : []),
    ...(run.hasPeople ? fitted('people', `${number(people)}${unsure(counts)}`, width) : []),
    ...(since === null
      ? []
      : fitted('changes', changesSince(since, exported.counts.changes), width)),
    '',
    field('calls made', `${number(made)}${withEarlier(counts, callsBefore)}`),
    ...(requests > made ? [field('requests', `${number(requests)} that may be charged`)] : []),
    ...(money ? [field('paid', `${formatMoney(money)}${paidInAll(summary)}`)] : []),
    ...savings(counts.calls, width),
    '',
    ...written.map(({ name, about, isTrouble }) =>
      field(name, isTrouble ? styleText('red', about, { stream }) : about, pathWidth),
    ),
    '',
    ...advice(summary, given, folder).flatMap((text) =>
      text.startsWith(' ') ? [text] : wrapped(text, width),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** Says that there may be more people than were received. */
function unsure({ incompleteSearches }: RunSummary['counts']): string {
  if (incompleteSearches === 0) return '';
  const searches = counted(incompleteSearches, 'search', 'searches');
  return `; ${searches} may have more (people_complete)`;
}

/** A run that was resumed has made calls before, which its report counts, too. */
function withEarlier({ calls }: RunSummary['counts'], callsBefore: number): string {
  return callsBefore === 0 ? '' : `, ${number(answeredCalls(calls))} in the whole run`;
}

function paidInAll({ callsBefore, spentInAll }: RunSummary): string {
  return callsBefore === 0 ? '' : `, ${formatMonies(spentInAll.money)} in the whole run`;
}

function savings(calls: RunSummary['counts']['calls'], width: number): string[] {
  const { shared, reused, joined } = calls;
  const ways = [
    shared > 0 ? `${number(shared)} shared by rows that ask the same` : '',
    reused > 0 ? `${number(reused)} answered before` : '',
    joined > 0 ? `${number(joined)} known under another identifier` : '',
  ].filter(Boolean);
  const text = ways.length === 0 ? '0' : `${number(savedCalls(calls))}: ${ways.join(', ')}`;
  return fitted('calls saved', text, width);
}

function advice(summary: RunSummary, given: GivenJob, folder: string): string[] {
  const { run, counts, held, exported } = summary;
  const { not_found, invalid, failed, stale } = exported.counts;
  const lines: string[] = [];
  if (held) {
    if (exported.folder === null) {
      lines.push('The result is held in the ledger, and no file was changed. To look at it:');
      lines.push(`  ${lookCommand(given, runName(run))}`);
    } else lines.push(`The files are held in ${folder}, and no other file was changed.`);
    lines.push(
      'The next run asks again for what was not found. If the result is right, this publishes it, without a call:',
      `  ${acceptCommand(given)}`,
    );
  }
  if (foundNothing(exported.counts) && run.service !== sampleData) {
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
    if (!file || run.rowLimit !== null || path.includes('://')) lines.push(`${where}.`);
    else {
      lines.push(`${where}. Fix them there, then:`);
      lines.push(`  ${fixCommandLine(given, path)}`);
    }
  }
  if (failed + stale + counts.failedSearches + exported.damagedAnswers > 0) {
    lines.push(retryText(given));
  }
  if (run.rowLimit !== null) {
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

function number(value: number): string {
  return value.toLocaleString('en');
}
