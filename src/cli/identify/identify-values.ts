import { DossierError } from '../../errors.ts';
import type { Reading } from '../../identify/identifier.ts';
import { chooseEncoding, decodeBytes, peekBytes } from '../../input/bytes.ts';
import { findColumn, type InputRow, listedColumns, sheetHint } from '../../input/input-row.ts';
import { type InputOptions, type OpenInput, openInput } from '../../input/open-input.ts';
import { guessProblem, openReadingNotes } from '../../input/reading-notes.ts';
import { isZip } from '../../input/refuse-binary.ts';
import { openSource } from '../../input/remote/open-source.ts';
import { detectColumns } from '../../job/from-list/detect-columns.ts';
import { isListAddress, shownPath } from '../../runtime/files/local-path.ts';
import { readLines } from '../../runtime/files/read-lines.ts';

export interface Value {
  readonly input: string;
  readonly as: Reading;
  /** Set, with `column`, when several columns are read. */
  readonly row?: number;
  readonly column?: string;
}

export interface OpenValues {
  readonly name: string;
  readonly values: AsyncIterable<Value>;
}

interface ValueOptions {
  readonly columns: readonly string[] | undefined;
  /** What each column is read as, in the order of the columns. */
  readonly as: readonly Reading[] | undefined;
  /** Flags that say how to read the list: sheet, encoding, delimiter, header row. */
  readonly form: InputOptions;
  readonly warn: (text: string) => void;
}

const maxLineBytes = 1024 * 1024;
const peekedBytes = 16;
const sampleRows = 500;
/** Further problems are only counted: five show what is wrong with a list. */
const problemsShown = 5;
/** Names of plain text: standard input, no extension, `.txt` or `.list`. */
const listName = /^-$|^(?:.*[/\\])?[^./\\]+$|\.(?:txt|list)(?:\.gz|\.zst)?$/i;

/** Opens a list as lines, or as the cells of a table when an option or the file's name says so. */
export async function openValues(path: string, options: ValueOptions): Promise<OpenValues> {
  if (path === '-' && process.stdin.isTTY) {
    throw new DossierError('USAGE', 'identify takes a file, or values piped into it, one a line');
  }
  const { columns, form } = options;
  const isTable =
    columns !== undefined ||
    [form.delimiter, form.sheet, form.headerRow].some((given) => given !== undefined);
  // An address often ends without an extension, and hardly ever is a mere list of values.
  const isLines = isListAddress(path)
    ? /\.(?:txt|list)$/i.test(shownPath(path))
    : listName.test(path);
  return isTable || !isLines ? openCells(path, options) : openLines(path, options);
}

async function openLines(path: string, { as, form, warn }: ValueOptions): Promise<OpenValues> {
  const [reading = 'auto'] = as ?? [];
  const { name, bytes: source, close } = await openSource(path);
  const { head, bytes: raw } = await peekBytes(source, peekedBytes);
  if (isZip(head)) {
    throw new DossierError('COLUMN_UNKNOWN', `${name} is a workbook, not one value a line`);
  }
  const { onGuess, notes, guessedEncoding } = openReadingNotes(name);
  const bytes = decodeBytes(raw, chooseEncoding(head, form.encoding), name, onGuess);
  async function* values(): AsyncGenerator<Value> {
    try {
      for await (const { number, text } of readLines(bytes, { maxLineBytes })) {
        const row = { line: number, cells: [text] };
        const problem = guessProblem(row, [{ index: 0 }], guessedEncoding());
        if (problem === undefined) yield { input: text, as: reading };
        else warn(`${name}: left out: ${problem}`);
      }
    } finally {
      await close();
    }
    for (const note of notes()) warn(note);
  }
  return { name, values: values() };
}

async function openCells(path: string, options: ValueOptions): Promise<OpenValues> {
  const input = await openInput(path, options.form);
  let taken: TakenColumn[] = [];
  const rows = readableRows(input, () => taken, options.warn);
  const sample = await take(rows, sampleRows);
  const { columns, as } = options;
  taken = columns
    ? columns.map((column, index) => ({
        ...findColumn(input, column),
        as: as?.[index] ?? 'auto',
      }))
    : detect(input, sample, options);

  async function* values(): AsyncGenerator<Value> {
    for (const row of sample) {
      const problem = guessProblem(row, taken, input.guessedEncoding());
      if (problem === undefined) yield* valuesOf(row, taken);
      else options.warn(`${input.name}: row ${row.number} is left out: ${problem}`);
    }
    for await (const row of rows) yield* valuesOf(row, taken);
    for (const note of input.notes()) options.warn(note);
  }
  return { name: input.name, values: values() };
}

interface TakenColumn {
  readonly index: number;
  readonly column: string;
  readonly as: Reading;
}

function* valuesOf(row: InputRow, taken: readonly TakenColumn[]): Generator<Value> {
  for (const { index, column, as } of taken) {
    const value = { input: row.cells[index] ?? '', as };
    yield taken.length === 1 ? value : { ...value, row: row.number, column };
  }
}

function detect(
  input: OpenInput,
  sample: readonly InputRow[],
  { as, warn }: ValueOptions,
): TakenColumn[] {
  const { identify } = detectColumns(
    input.columns,
    sample.map(({ cells }) => cells),
  );
  if (identify.length === 0) {
    throw new DossierError(
      'COLUMN_UNKNOWN',
      `no column of ${input.name} looks like it identifies companies; it has ${listedColumns(input.columns)}${sheetHint(input.sheet)}`,
    );
  }
  const taken = identify.map((column) => ({ ...column, as: as?.[0] ?? column.as }));
  const words = taken.map(
    ({ column, as, share }) => `${column} as ${as} (${Math.round(share * 100)}% fit)`,
  );
  warn(`${input.name}: taking ${words.join(', ')}; choose with --column`);
  return taken;
}

/** Leaves out rows with a problem and warns of them: their cells may be in the wrong columns. */
async function* readableRows(
  input: OpenInput,
  taken: () => readonly TakenColumn[],
  warn: (text: string) => void,
): AsyncGenerator<InputRow> {
  let problems = 0;
  for await (const row of input.rows) {
    const problem = row.problem ?? guessProblem(row, taken(), input.guessedEncoding());
    if (problem === undefined) {
      yield row;
      continue;
    }
    problems += 1;
    if (problems <= problemsShown) {
      warn(`${input.name}:${row.line}: row ${row.number} is left out: ${problem}`);
    }
  }
  if (problems > problemsShown) warn(`${input.name}: ${problems} rows were left out in all`);
}

async function take(rows: AsyncGenerator<InputRow>, count: number): Promise<InputRow[]> {
  const taken: InputRow[] = [];
  while (taken.length < count) {
    const next = await rows.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}
