import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import { DossierError } from '../errors.ts';
import { type CellResult, isReject, type Reading } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';
import { type RejectCode, rejectCatalog } from '../identify/rejects.ts';
import { chooseEncoding, decodeBytes, peekBytes } from '../input/bytes.ts';
import {
  findColumn,
  guessProblem,
  type InputRow,
  listedColumns,
  openReadingNotes,
  sheetHint,
} from '../input/input-row.ts';
import { type InputOptions, type OpenInput, openInput } from '../input/open-input.ts';
import { isZip } from '../input/refuse-binary.ts';
import { openSource } from '../input/remote/open-source.ts';
import { detectColumns } from '../job/from-list/detect-columns.ts';
import { type JobFlags, readAs, readInputForm } from '../job/job-flags.ts';
import { isListAddress, shownPath } from '../runtime/files/local-path.ts';
import { readLines } from '../runtime/files/read-lines.ts';
import { command } from './command.ts';
import { flag, listFlags, text, usage } from './options.ts';
import { counted, formatNumber, shortened } from './terminal/text.ts';

export const identify = command({
  options: {
    ...listFlags,
    file: text(
      'CSV, JSON, JSONL, Parquet or Excel file or its address, or text with one value a line; - is standard input',
    ),
    summary: flag('Count instead of listing; what a terminal shows for a file'),
  },
  examples: {
    '$0 identify fixtures/leads/leads.csv': 'what the list holds, and what is wrong with it',
    '$0 identify fixtures/leads/leads.csv --column Website': 'one column only',
    'echo "ABN 51 824 753 556" | $0 identify': 'one value',
    '$0 identify fixtures/leads/leads.csv --json | grep reject':
      'the rejected values, each with its reason',
  },
  jsonHelp: 'Print JSON lines on a terminal too; with --summary, one JSON object',
  async facts(args, { isForPeople, note, lines }) {
    const values = await openValues(args, note);
    const isCounted = args.summary || (isForPeople && !args.json && args.file !== undefined);
    if (!isCounted) return await lines(toLines(values));
    const tally = startTally();
    for await (const { input, as, column } of values) {
      tally.add(input, identifyCell(input, as), column);
    }
    return tally.counts();
  },
  text({ values, accepted, rejected, kinds, reasons, derived, duplicates }, page, args) {
    const total = (label: string, count: number) => {
      const share = values === 0 ? '' : `${Math.round((count / values) * 100)}%`;
      return [label, formatNumber(count), share];
    };
    const entry = (label: string, { count, example }: Count) => [
      `  ${label}`,
      formatNumber(count),
      shortened(example, page.width),
    ];
    const found = Object.entries(reasons) as [RejectCode, Count][];
    const good = [
      ...Object.entries(kinds).map(([kind, count]) => entry(kind, count)),
      ...(derived > 0 ? [entry('from ACN', { count: derived, example: 'of the abn above' })] : []),
      ...(duplicates.count > 0 ? [entry('duplicates', duplicates)] : []),
    ];
    const [first = '', ...lines] = page.table(
      [
        total('accepted', accepted),
        ...good,
        total('rejected', rejected),
        ...found.map(([code, count]) => entry(code, count)),
      ],
      { numbers: [1] },
    );
    const name = args.file === undefined || args.file === '-' ? 'standard input' : args.file;
    return [
      page.bold(shortened(`${shownPath(name)}: ${counted(values, 'value', 'values')}`, page.width)),
      '',
      page.style(['bold', 'green'], first),
      ...lines.slice(0, good.length),
      '',
      page.style(['bold', 'yellow'], lines[good.length] ?? ''),
      ...found.flatMap(([code], index) => [
        lines[good.length + 1 + index] ?? '',
        ...page.wrap(`${rejectCatalog[code].message} ${rejectCatalog[code].fix}`, '    ', 'dim'),
      ]),
      ...(args.summary ? [] : ['', 'Add --json to list every value with its result.']),
    ];
  },
});

/** A number of values, and the first of them as an example. */
interface Count {
  readonly count: number;
  readonly example: string;
}

/** Counts values; its counts are what `identify --summary --json` prints. */
export function startTally() {
  const kinds = new Map<IdentifierKind, Count>();
  const reasons = new Map<RejectCode, Count>();
  const seen = new Set<string>();
  let values = 0;
  /** ABNs that were made from an ACN. */
  let derived = 0;
  /** Values that are equal, once cleaned, to an earlier value of their column. */
  let duplicates: Count = { count: 0, example: '' };
  return {
    /** Duplicates count within a column only: a row's e-mail address and website often agree. */
    add(input: string, result: CellResult, column = ''): void {
      values += 1;
      if (isReject(result)) {
        reasons.set(result.reject, oneMore(reasons.get(result.reject), input));
        return;
      }
      kinds.set(result.kind, oneMore(kinds.get(result.kind), input));
      if (result.derivedFrom !== undefined) derived += 1;
      const key = `${column}\n${result.kind} ${result.value}`;
      if (seen.has(key)) duplicates = oneMore(duplicates.count > 0 ? duplicates : undefined, input);
      seen.add(key);
    },
    counts() {
      const accepted = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
      const rejected = values - accepted;
      const found = { kinds: mostFirst(kinds), reasons: mostFirst(reasons) };
      return { values, accepted, rejected, ...found, derived, duplicates };
    },
  };
}

function oneMore(before: Count | undefined, input: string): Count {
  return { count: (before?.count ?? 0) + 1, example: before?.example ?? input };
}

function mostFirst(counts: ReadonlyMap<string, Count>): Readonly<Record<string, Count>> {
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other.count - one.count));
}

/** `{"input","kind","value"}` or `{"input","reject","message"}`, one a line. */
async function* toLines(values: AsyncIterable<Value>) {
  for await (const { input, as, ...cell } of values) {
    yield JSON.stringify({ input, ...identifyCell(input, as), ...cell });
  }
}

interface Value {
  readonly input: string;
  readonly as: Reading;
  /** Set, with `column`, when several columns are read. */
  readonly row?: number;
  readonly column?: string;
}

const maxLineBytes = 1024 * 1024;
const peekedBytes = 16;
const sampleRows = 500;
/** Further problems are only counted: five show what is wrong with a list. */
const problemsShown = 5;
/** Names of plain text: standard input, no extension, `.txt` or `.list`. */
const listName = /^-$|^(?:.*[/\\])?[^./\\]+$|\.(?:txt|list)(?:\.gz|\.zst)?$/i;

interface Wanted {
  readonly columns: readonly string[] | undefined;
  /** What each column is read as, in the order of the columns. */
  readonly as: readonly Reading[] | undefined;
  /** Flags that say how to read the list: sheet, encoding, delimiter, header row. */
  readonly form: InputOptions;
  readonly warn: (text: string) => void;
}

/** Opens a list as lines, or as the cells of a table when an option or the file's name says so. */
async function openValues(
  { file = '-', column: columns, as, ...flags }: JobFlags & { readonly file: string | undefined },
  warn: (text: string) => void,
) {
  if (file === '-' && process.stdin.isTTY) {
    throw usage('identify takes a file, or values piped into it, one a line');
  }
  const form = readInputForm(flags);
  const wanted = { columns, as: readAs(as, columns?.length ?? 1), form, warn };
  const isTable =
    columns !== undefined ||
    [form.delimiter, form.sheet, form.headerRow].some((given) => given !== undefined);
  // An address often ends without an extension, and hardly ever is a mere list of values.
  const isLines = isListAddress(file)
    ? /\.(?:txt|list)$/i.test(shownPath(file))
    : listName.test(file);
  return isTable || !isLines ? await openCells(file, wanted) : await openLines(file, wanted);
}

async function openLines(path: string, { as, form, warn }: Wanted) {
  const [reading = 'auto'] = as ?? [];
  const { name, bytes: source, close } = await openSource(path);
  const { head, bytes: raw } = await peekBytes(source, peekedBytes);
  if (isZip(head)) {
    throw new DossierError(
      'USAGE',
      `${name} is a workbook, not one value a line; name a column with --column`,
    );
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
  return values();
}

async function openCells(path: string, options: Wanted) {
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
  return values();
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
  { as, warn }: Wanted,
): TakenColumn[] {
  const { identify } = detectColumns(
    input.columns,
    sample.map(({ cells }) => cells),
  );
  if (identify.length === 0) {
    throw new DossierError(
      'USAGE',
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
