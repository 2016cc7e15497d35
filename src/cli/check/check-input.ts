import { DossierError } from '../../errors.ts';
import type { InputRow } from '../../input/input-row.ts';
import { openInput } from '../../input/open-input.ts';
import { readCorrections } from '../../job/mended/corrections-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openCorrections } from '../../run/list/apply-corrections.ts';
import { nameNotes } from '../../run/list/column-notes.ts';
import { identifyInputRow } from '../../run/list/identify-input-row.ts';
import { openRowKeys } from '../../run/list/key/open-row-keys.ts';
import { planKey, requireKey } from '../../run/list/key/plan-key.ts';
import { planColumns, planColumnsSoFar } from '../../run/list/plan-columns.ts';
import { counted } from '../terminal/counted.ts';

const rowsChecked = 1_000;
/** A run detects the columns by as many rows. */
const sampleRows = 200;

/** Reads the first rows of a list as a run would, and says how many of them have an identifier. */
export async function checkInput(job: ResolvedJob): Promise<string> {
  const { path, address, options } = job.input;
  if (path === '-') return 'standard input, which is read when the job runs';
  await using input = await openInput(address ?? path, options);
  const rows: InputRow[] = [];
  for await (const row of input.rows) {
    rows.push(row);
    if (rows.length === rowsChecked) break;
  }
  const sample = rows.slice(0, sampleRows).map(({ cells }) => cells);
  // Each line of JSONL may bring new columns, so the columns of the first rows may not be all.
  const mayHaveMoreColumns = input.format === 'jsonl' && rows.length === rowsChecked;
  const plan = mayHaveMoreColumns
    ? planColumnsSoFar(job, input.columns, sample).plan
    : planColumns(job, input.columns, sample, input.sheet);
  if (!mayHaveMoreColumns) requireKey(job, input.columns);
  const columns = plan.identify.map(({ index }) => input.columns[index] ?? '').join(', ');
  if (rows.length === 0) return `${input.name} holds no rows`;

  const encoding = input.guessedEncoding();
  const plans = { row: plan, key: planKey(job, input.columns, rows, plan, undefined) };
  const keys = openRowKeys();
  const corrections = openCorrections(readCorrections(job.corrections), input.columns);
  const identified = rows.map((row) =>
    identifyInputRow(row, plans, { keys, encoding, corrections }),
  );
  const good = identified.filter(({ reject }) => reject === undefined);
  const scope = rows.length < rowsChecked ? 'all' : 'the first';
  const rowsText = `${scope} ${counted(rows.length, 'row', 'rows')}`;
  if (good.length === 0) {
    throw new DossierError(
      'NOTHING_TO_IDENTIFY',
      `none of ${rowsText} of ${input.name} has an identifier in ${columns}`,
    );
  }
  const share = Math.round((good.length / rows.length) * 100);
  // Where the job names no key, the ledger may have one that an earlier run has found.
  const keyNotes = job.input.key ? keys.notes(plans.key, undefined) : [];
  const notes = [...input.notes(), ...nameNotes(input.columns), ...keyNotes].map(
    (note) => `\n${note}`,
  );
  return `${good.length.toLocaleString('en')} of ${rowsText} (${share}%) have an identifier, by ${columns}${notes.join('')}`;
}
