import { styleText } from 'node:util';
import { DossierError } from '../../errors.ts';
import { type Correction, readCorrections } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { planJson } from '../../overview/plan/plan-json.ts';
import {
  type CorrectionState,
  dropCorrections,
  listCorrections,
  type Mending,
  requirePlace,
} from '../../run/corrections.ts';
import { planJob } from '../../run/plan-job.ts';
import { formatMoneyRange, toMicros } from '../../runtime/budget/money.ts';
import { systemClock } from '../../runtime/clock.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { printable } from '../../runtime/printable.ts';
import { counted, fromHere, sampleDataText, shellWord } from '../terminal/text.ts';
import type { MendDropJson, MendListJson, MendPlanJson } from './mend-json.ts';

const print = (json: MendListJson | MendDropJson | MendPlanJson) =>
  process.stdout.write(`${printable(JSON.stringify(json))}\n`);
const bold = (text: string) => styleText('bold', text, { stream: process.stdout });

const marks: Record<CorrectionState, string> = {
  applies: '',
  unneeded: 'no longer needed',
  missing: 'not in the list',
  unknown: '',
};

/** Shows the corrections of a job. */
export async function showCorrections(job: ResolvedJob, isJson: boolean): Promise<void> {
  const file = requirePlace(job);
  const { corrections, trouble } = await listCorrections(job);
  if (isJson) return void print({ job: job.name, file, corrections, trouble });
  const where = corrections.length === 0 ? '' : ` in ${printable(fromHere(file))}`;
  const title = `${job.name}: ${counted(corrections.length, 'correction', 'corrections')}${where}`;
  const shown = correctionLines(corrections).map((line, index) => {
    const mark = marks[corrections[index]?.state ?? 'unknown'];
    return mark === '' ? line : `${line}  ${styleText('yellow', mark, { stream: process.stdout })}`;
  });
  process.stdout.write(`${[bold(title), ...shown].join('\n')}\n`);
  if (trouble === null) return;
  process.stderr.write(`Which of them the list still needs is not known: ${trouble}\n`);
}

/** Drops the corrections of some rows, or all. */
export async function dropRows(
  job: ResolvedJob,
  rowKeys: readonly string[] | 'all',
  given: { readonly job: string; readonly json: boolean },
): Promise<void> {
  const file = requirePlace(job);
  const known = new Set(readCorrections(file).map(({ row_key }) => row_key));
  const unknown = rowKeys === 'all' ? [] : rowKeys.filter((key) => !known.has(key));
  if (unknown.length > 0) {
    const which = unknown.map((key) => JSON.stringify(key)).join(', ');
    throw new DossierError('USAGE', `there is no correction of ${which} in ${file}`);
  }
  const { dropped, left } = await dropCorrections(
    job,
    ({ row_key }) => rowKeys === 'all' || rowKeys.includes(row_key),
  );
  if (given.json) return void print({ job: job.name, file, dropped, left });
  const title = `${counted(dropped.length, 'correction', 'corrections')} dropped, ${left} left`;
  process.stdout.write(`${[title, ...correctionLines(dropped)].join('\n')}\n`);
  if (dropped.length === 0) return;
  process.stderr.write(
    `The next run reads these rows as the list has them: dossier run ${given.job}\n`,
  );
}

/** Says what mending would ask for and cost. Nothing is kept, and no call is made. */
export async function showMendPlan(
  job: ResolvedJob,
  mending: Mending | undefined,
  isJson: boolean,
): Promise<void> {
  const corrections = mending && { corrections: mending.kept };
  const planned = await planJob(job, { clock: systemClock, ...corrections }).catch((error) => {
    if (!(error instanceof DossierError) || error.code !== 'MEND_NEEDS_RUN') throw error;
    // Mending keeps its corrections before it finds that no run can stand; a plan of it keeps none.
    const told =
      'without --dry-run the corrections are kept for the next run, and nothing is asked';
    throw new DossierError(error.code, `${error.message}; ${told}`, { cause: error });
  });
  const plan = planJson(planned);
  const fresh = mending?.corrections ?? [];
  if (isJson) {
    return void print({
      file: requirePlace(job),
      corrections: fresh,
      again: mending?.again ?? 0,
      refused: mending?.refused ?? [],
      unknown: mending?.unknown ?? [],
      matched: mending?.matched ?? 0,
      ignored: Object.fromEntries(mending?.ignored ?? []),
      plan,
    });
  }
  const { rows, calls, price } = plan;
  const title = `${job.name}: ${counted(fresh.length, 'new correction', 'new corrections')}`;
  const [least, most] = [calls.least, calls.mostIfFull].map((count) => count.toLocaleString('en'));
  const priceOf = (amount: number) => toMicros(amount) ?? 0;
  const lines = [
    ...sampleDataText(job.service.url),
    bold(title),
    ...correctionLines(fresh).map((line) => `  ${line}`),
    ...(mending ? mendingNotes(mending) : []),
    '',
    `rows to ask for  ${rows.total.toLocaleString('en')}`,
    `calls needed     ${least === most ? least : `${least} to ${most}`}`,
    ...(price
      ? [
          `price            ${formatMoneyRange(price.currency, priceOf(price.least), priceOf(price.mostIfFull))}`,
        ]
      : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  const words = process.argv.slice(2).filter((word) => word !== '--dry-run');
  const command = withoutSecrets(['dossier', ...words.map(shellWord)].join(' '));
  process.stderr.write(`\nNo call was made and nothing was kept. To do both:\n  ${command}\n`);
}

/** What was kept, and where. */
export function keptText({ corrections, again }: Mending, path: string): string {
  const known = again > 0 ? `; ${counted(again, 'cell was', 'cells were')} mended so before` : '';
  if (corrections.length === 0) return `No new correction${known}.`;
  const kept = counted(corrections.length, 'correction', 'corrections');
  return `${kept} kept in ${printable(fromHere(path))}${known}.`;
}

/** So many cells or keys show what kind they are. */
const shown = 5;

/** What of a mended file was not taken, and why. */
export function mendingNotes(mending: Mending): string[] {
  const { refused, unknown, matched, ignored, run } = mending;
  const quoted = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text)).join(', ');
  const notes = [
    ...mending.notes,
    ...refused
      .slice(0, shown)
      .map(
        ({ row_key, column, value, message }) =>
          `Not taken: row ${row_key}, ${column}: ${JSON.stringify(value)}. ${message}`,
      ),
  ];
  if (refused.length > shown) notes.push(`Not taken: ${refused.length - shown} cells more.`);
  if (unknown.length > 0) {
    const rows = counted(unknown.length, 'row of the file is', 'rows of the file are');
    const keys = `${quoted(unknown.slice(0, shown))}${unknown.length > shown ? ' …' : ''}`;
    notes.push(
      `${rows} left out, because ${run} has no such row_key: ${keys}. A spreadsheet may have changed the keys: their column has to be text.`,
    );
  }
  if (matched > 0) {
    notes.push(
      `${counted(matched, 'row has', 'rows have')} a company already and stay as they are.`,
    );
  }
  if (ignored.size > 0) {
    const cells = [...ignored].map(([column, count]) => `${JSON.stringify(column)} (${count})`);
    notes.push(
      `Changed cells of ${cells.join(', ')} are ignored. Columns that can be mended: ${quoted(mending.columns)}.`,
    );
  }
  return notes.map((note) => printable(note));
}

/** A correction in a line: `73ca9e02022778dd  website  "smec,com" → "smec.com"`. */
function correctionLines(corrections: readonly Correction[]): string[] {
  const keyWidth = Math.max(0, ...corrections.map(({ row_key }) => row_key.length));
  const columnWidth = Math.max(0, ...corrections.map(({ column }) => column.length));
  return corrections.map(({ row_key, column, was, now }) =>
    printable(
      `${row_key.padEnd(keyWidth)}  ${column.padEnd(columnWidth)}  ${JSON.stringify(was)} → ${JSON.stringify(now)}`,
    ),
  );
}
