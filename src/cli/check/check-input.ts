import { DossierError } from '../../errors.ts';
import { identifyRow } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import { openInput } from '../../input/open-input.ts';
import { guessProblem } from '../../input/reading-notes.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import { planColumns, planColumnsSoFar } from '../../run/list/plan-columns.ts';
import { counted } from '../terminal/counted.ts';

const rowsChecked = 1_000;
/** A run detects the columns by as many rows. */
const sampleRows = 200;

/** Reads the first rows of a list as a run would, and says how many of them have an identifier. */
export async function checkInput(job: ResolvedJob, path: string): Promise<string> {
  if (path === '-') return 'standard input, which is read when the job runs';
  await using input = await openInput(path, job.input.options);
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
  const columns = plan.identify.map(({ index }) => input.columns[index] ?? '').join(', ');
  if (rows.length === 0) return `${input.name} holds no rows`;

  const encoding = input.guessedEncoding();
  const good = rows.filter((row) => {
    const problem = row.problem ?? guessProblem(row, plan.identify, encoding);
    return problem === undefined && !identifyRow(row.cells, plan).reject;
  });
  const scope = rows.length < rowsChecked ? 'all' : 'the first';
  const rowsText = `${scope} ${counted(rows.length, 'row', 'rows')}`;
  if (good.length === 0) {
    throw new DossierError(
      'NOTHING_TO_IDENTIFY',
      `none of ${rowsText} of ${input.name} has an identifier in ${columns}`,
    );
  }
  const share = Math.round((good.length / rows.length) * 100);
  const notes = input.notes().map((note) => `\n${note}`);
  return `${good.length.toLocaleString('en')} of ${rowsText} (${share}%) have an identifier, by ${columns}${notes.join('')}`;
}
