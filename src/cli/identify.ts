import {
  type CellResult,
  isReject,
  type Reading,
  type RejectCode,
  rejectCatalog,
} from '../core/identify/identifier.ts';
import { identifyCell } from '../core/identify/identify-cell.ts';
import { isListAddress, shownPath } from '../core/runtime/files/local-path.ts';
import { readLines } from '../core/runtime/files/read-lines.ts';
import { detectColumns } from '../job/from-list/detect-columns.ts';
import { type JobFlags, readAs, readInputForm } from '../job/job-flags.ts';
import { chooseEncoding, decodeBytes, peekBytes } from '../lists/bytes.ts';
import {
  findColumn,
  guessProblem,
  type InputRow,
  listedColumns,
  openReadingNotes,
  sheetHint,
} from '../lists/input-row.ts';
import { type OpenInput, openInput } from '../lists/open-input.ts';
import { isZip } from '../lists/refuse-binary.ts';
import { openSource } from '../lists/remote/open-source.ts';
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
    const entries = (counts: Readonly<Record<string, Count>>) =>
      Object.entries(counts)
        .filter(([, { count }]) => count > 0)
        .map(([label, { count, example }]) => [
          `  ${label}`,
          formatNumber(count),
          shortened(example, page.width),
        ]);
    const fromAcn = { count: derived, example: 'of the abn above' };
    const rows = [
      total('accepted', accepted),
      ...entries({ ...kinds, 'from ACN': fromAcn, duplicates }),
      total('rejected', rejected),
      ...entries(reasons),
    ];
    const { file = '-', summary } = args;
    const name = file === '-' ? 'standard input' : shownPath(file);
    const advice = (Object.keys(reasons) as RejectCode[]).flatMap((code) =>
      page.wrap(`${code}: ${rejectCatalog[code].message} ${rejectCatalog[code].fix}`),
    );
    return [
      page.bold(shortened(`${name}: ${counted(values, 'value')}`, page.width)),
      '',
      ...page.table(rows, {
        numbers: [1],
        paint: (cell, row) => (rows[row]?.[0]?.startsWith(' ') ? cell : page.bold(cell)),
      }),
      ...(advice.length > 0 ? ['', ...advice] : []),
      ...page.fields(summary ? [] : ['', 'Add --json to list every value with its result.']),
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
  const kinds = new Map<string, Count>();
  const reasons = new Map<string, Count>();
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
      const [counts, name] = isReject(result) ? [reasons, result.reject] : [kinds, result.kind];
      counts.set(name, oneMore(counts.get(name), input));
      if (isReject(result)) return;
      if (result.derivedFrom !== undefined) derived += 1;
      const key = `${column}\n${result.kind} ${result.value}`;
      if (seen.has(key)) duplicates = oneMore(duplicates, input);
      seen.add(key);
    },
    counts() {
      const rejected = [...reasons.values()].reduce((sum, { count }) => sum + count, 0);
      return {
        values,
        accepted: values - rejected,
        rejected,
        kinds: mostFirst(kinds),
        reasons: mostFirst(reasons),
        derived,
        duplicates,
      };
    },
  };
}

function oneMore({ count, example }: Count = { count: 0, example: '' }, input: string): Count {
  return { count: count + 1, example: count === 0 ? input : example };
}

function mostFirst(counts: ReadonlyMap<string, Count>): Readonly<Record<string, Count>> {
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other.count - one.count));
}

/** `{"input","kind","value"}` or `{"input","reject","message"}`, one a line. */
async function* toLines(values: ReturnType<typeof valuesOf>) {
  for await (const { input, as, ...cell } of values) {
    yield JSON.stringify({ input, ...identifyCell(input, as), ...cell });
  }
}

const maxLineBytes = 1024 * 1024;
const peekedBytes = 16;
const sampleRows = 500;
/** Names of plain text: standard input, no extension, `.txt` or `.list`. */
const listName = /^-$|^(?:.*[/\\])?[^./\\]+$|\.(?:txt|list)(?:\.gz|\.zst)?$/i;

/** Opens a list as lines, or as the cells of a table when an option or the file's name says so. */
async function openValues(
  { file = '-', column: columns, as, ...flags }: JobFlags & { readonly file: string | undefined },
  warn: (...texts: string[]) => void,
) {
  if (file === '-' && process.stdin.isTTY) {
    throw usage('identify takes a file, or values piped into it, one a line');
  }
  const form = readInputForm(flags);
  const readings = readAs(as, columns?.length ?? 1);
  const isTable = [columns, form.delimiter, form.sheet, form.headerRow].some(
    (given) => given !== undefined,
  );
  // An address often ends without an extension, and hardly ever is a mere list of values.
  const isLines = isListAddress(file)
    ? /\.(?:txt|list)$/i.test(shownPath(file))
    : listName.test(file);
  if (!isTable && isLines) {
    const taken = [{ index: 0, column: '', as: readings?.[0] ?? 'auto' }];
    return valuesOf(await openLines(file, form.encoding), taken, warn);
  }
  const input = await openInput(file, form);
  const sample: InputRow[] = [];
  const rows = input.rows[Symbol.asyncIterator]();
  while (sample.length < sampleRows) {
    const next = await rows.next();
    if (next.done) break;
    sample.push(next.value);
  }
  const all = {
    ...input,
    rows: (async function* () {
      yield* sample;
      yield* { [Symbol.asyncIterator]: () => rows };
    })(),
  };
  const named = columns?.map((column, index) => ({
    ...findColumn(input, column),
    as: readings?.[index] ?? 'auto',
  }));
  if (named) return valuesOf(all, named, warn);
  const good = sample.filter(({ problem }) => problem === undefined);
  const { identify: found } = detectColumns(
    input.columns,
    good.map(({ cells }) => cells),
  );
  if (found.length === 0) {
    throw usage(
      `no column of ${input.name} looks like it identifies companies, and names cannot be looked up; it has ${listedColumns(input.columns)}${sheetHint(input.sheet)}`,
    );
  }
  const taken = found.map((column) => ({ ...column, as: readings?.[0] ?? column.as }));
  const words = taken.map(
    ({ column, as: reading, share }) => `${column} as ${reading} (${Math.round(share * 100)}% fit)`,
  );
  warn(`${input.name}: taking ${words.join(', ')}; choose with --column`);
  return valuesOf(all, taken, warn);
}

/** A list without columns, of which each line is a row of one cell. */
async function openLines(path: string, encoding: string | undefined) {
  const { name, bytes: source, close } = await openSource(path);
  const { head, bytes: raw } = await peekBytes(source, peekedBytes);
  if (isZip(head)) {
    throw usage(`${name} is a workbook, not one value a line; name a column with --column`);
  }
  const { onGuess, notes, guessedEncoding } = openReadingNotes(name);
  const bytes = decodeBytes(raw, chooseEncoding(head, encoding), name, onGuess);
  async function* rows(): AsyncGenerator<InputRow> {
    try {
      for await (const { number, text: cell } of readLines(bytes, { maxLineBytes })) {
        yield { number, line: number, cells: [cell] };
      }
    } finally {
      await close();
    }
  }
  return { name, rows: rows(), notes, guessedEncoding };
}

/** The values of the taken columns. Rows that cannot be trusted are left out, which is said once. */
async function* valuesOf(
  input: Pick<OpenInput, 'name' | 'rows' | 'notes' | 'guessedEncoding'>,
  taken: readonly { readonly index: number; readonly column: string; readonly as: Reading }[],
  warn: (...texts: string[]) => void,
) {
  let leftOut = 0;
  let first = '';
  for await (const row of input.rows) {
    const problem = row.problem ?? guessProblem(row, taken, input.guessedEncoding());
    if (problem !== undefined) {
      leftOut += 1;
      first ||= problem;
      continue;
    }
    for (const { index, column, as } of taken) {
      const place = taken.length === 1 ? {} : { row: row.number, column };
      yield { input: row.cells[index] ?? '', as, ...place };
    }
  }
  if (leftOut > 0) warn(`${input.name}: ${counted(leftOut, 'row')} left out; the first: ${first}`);
  warn(...input.notes());
}
