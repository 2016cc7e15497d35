import { kindName } from '../core/contract/identifier-kinds.ts';
import {
  type CellResult,
  isReject,
  type Reading,
  type RejectCode,
  rejectCatalog,
} from '../core/identify/identifier.ts';
import { identifyCell } from '../core/identify/identify-cell.ts';
import { counted, formatShare } from '../core/values/format.ts';
import { detectColumns, detectionRows } from '../job/from-list/detect-columns.ts';
import { type JobFlags, readInputForm, readingsOf } from '../job/job-flags.ts';
import { chooseEncoding, decodeBytes } from '../lists/bytes.ts';
import {
  createReadingNotes,
  findColumn,
  guessProblem,
  type InputRow,
  listedColumns,
  sheetHint,
} from '../lists/input-row.ts';
import { type OpenInput, openInput } from '../lists/open-input.ts';
import { isZip } from '../lists/refuse-binary.ts';
import { openSource } from '../lists/remote/open-source.ts';
import { isListAddress, shownPath } from '../platform/files/local-path.ts';
import { peekBytes } from '../platform/files/read-bytes.ts';
import { readLines } from '../platform/files/read-lines.ts';
import { reasonWords } from '../ui/words/labels.ts';
import { command } from './parts/command.ts';
import { flag, listFlags, text, usage } from './parts/options.ts';
import { factsText, shortened } from './terminal/text.ts';

export const identify = command({
  options: {
    ...listFlags,
    file: text(
      'CSV, JSON, JSONL, Parquet or Excel file, its URL, or text with one value per line; - is standard input',
    ),
    summary: flag('Only count values (the default for a file if the output goes to a terminal)'),
  },
  examples: {
    '$0 identify fixtures/leads/leads.csv': 'show what the list contains and what is wrong with it',
    '$0 identify fixtures/leads/leads.csv --column Website': 'read one column only',
    'echo "ABN 51 824 753 556" | $0 identify': 'one value',
    '$0 identify fixtures/leads/leads.csv --json | grep reject':
      'list the rejected values with their reasons',
  },
  jsonHelp: 'Print JSON lines on a terminal too; with --summary, one JSON object',
  async facts(args, { isForPeople, note, lines, next }) {
    const values = valuesOf(args, note);
    const isCounted = args.summary || (isForPeople && !args.json && args.file !== undefined);
    if (!isCounted) return await lines(toLines(values));
    const tally = startTally();
    for await (const { input, as, column } of values) {
      tally.add(input, identifyCell(input, as), column);
    }
    if (!args.summary) next('Add --json to list every value with its result.');
    return tally.counts();
  },
  text: ({ kinds, reasons, ...counts }, page) =>
    factsText(
      {
        ...counts,
        kinds: mergeNames(kinds),
        reasons: reasons.map(({ reject, ...one }) => ({ reason: reasonWords(reject), ...one })),
      },
      page,
    ),
});

interface Count {
  count: number;
  readonly example: string;
}

const longestExample = 40;

export function startTally() {
  const kinds = new Map<string, Count>();
  const reasons = new Map<RejectCode, Count>();
  const seen = new Set<string>();
  let accepted = 0;
  let rejected = 0;
  let fromAcn = 0;
  return {
    /** Counts duplicates per column: a row's e-mail address and website often have one domain. */
    add(input: string, result: CellResult, column = '') {
      if (isReject(result)) {
        rejected += 1;
        addOne(reasons, result.reject, input);
        return;
      }
      accepted += 1;
      addOne(kinds, result.kind, input);
      if (result.derivedFrom !== undefined) fromAcn += 1;
      seen.add(`${column}\n${result.kind} ${result.value}`);
    },
    counts: () => ({
      values: accepted + rejected,
      accepted,
      rejected,
      duplicates: accepted - seen.size,
      fromAcn,
      kinds: mostFirst(kinds).map(([kind, count]) => ({ kind, ...count })),
      reasons: mostFirst(reasons).map(([reject, count]) => ({
        reject,
        ...count,
        fix: rejectCatalog[reject].fix,
      })),
    }),
  };
}

function addOne<Name extends string>(counts: Map<Name, Count>, name: Name, input: string) {
  const known = counts.get(name);
  if (known) known.count += 1;
  else counts.set(name, { count: 1, example: shortened(input, longestExample) });
}

/** Kinds with the same name are one for people. */
function mergeNames(kinds: readonly ({ readonly kind: string } & Count)[]) {
  return [...Map.groupBy(kinds, ({ kind }) => kindName(kind))].map(([kind, some]) => ({
    kind,
    count: some.reduce((sum, { count }) => sum + count, 0),
    example: some[0]?.example,
  }));
}

function mostFirst<Name extends string>(counts: ReadonlyMap<Name, Count>) {
  return [...counts].sort(([, one], [, other]) => other.count - one.count);
}

async function* toLines(values: ReturnType<typeof valuesOf>) {
  for await (const { input, as, ...cell } of values) {
    yield JSON.stringify({ input, ...identifyCell(input, as), ...cell });
  }
}

const maxLineBytes = 1024 * 1024;
const peekedBytes = 4096;
/** Matches `-` (standard input), and names with `.txt`, `.list` or no extension. */
const plainTextName = /^-$|^(?:.*[/\\])?[^./\\]+$|\.(?:txt|list)(?:\.gz|\.zst)?$/i;

async function* valuesOf(
  { file = '-', column: columns, as, ...flags }: JobFlags & { readonly file: string | undefined },
  warn: (...texts: string[]) => void,
) {
  if (file === '-' && process.stdin.isTTY) throw usage('identify needs a file, or piped values');
  const form = readInputForm(flags);
  const given = readingsOf(as, columns?.length ?? 1);
  const readings = given?.filter((reading) => reading !== 'name');
  if (given?.length !== readings?.length) {
    throw usage('names are in the register: look for one with `dossier register find NAME`');
  }
  const isTable = [columns, form.delimiter, form.sheet, form.headerRow].some(
    (given) => given !== undefined,
  );
  const isLines = isListAddress(file)
    ? /\.(?:txt|list)$/i.test(shownPath(file))
    : plainTextName.test(file);
  const lineRows = isLines && !isTable ? await readLineRows(file, form.encoding) : undefined;
  const table = lineRows ? undefined : await openInput(file, form);
  const input = lineRows ?? (table as OpenInput);
  const chooseIn = (list: OpenInput, sample: readonly InputRow[]) =>
    columns?.map((column, index) => ({
      ...findColumn(list, column),
      as: readings?.[index] ?? 'auto',
    })) ?? detectIn(list, sample, readings?.[0], warn);
  let taken = table ? undefined : [{ index: 0, column: '', as: readings?.[0] ?? 'auto' }];
  let leftOut = 0;
  let first = '';
  function* cellsOf(rows: readonly InputRow[]) {
    taken ??= table ? chooseIn(table, rows) : [];
    for (const row of rows) {
      const problem = row.problem ?? guessProblem(row, taken, input.guessedEncoding());
      if (problem !== undefined) {
        leftOut += 1;
        first ||= problem;
        continue;
      }
      for (const { index, column, as: reading } of taken) {
        const origin = taken.length === 1 ? {} : { row: row.number, column };
        yield { input: row.cells[index] ?? '', as: reading, ...origin };
      }
    }
  }
  const sample: InputRow[] = [];
  for await (const row of input.rows) {
    sample.push(row);
    if (taken || sample.length === detectionRows) yield* cellsOf(sample.splice(0));
  }
  yield* cellsOf(sample);
  if (leftOut > 0) warn(`${input.name}: ${counted(leftOut, 'row')} left out; the first: ${first}`);
  warn(...input.notes());
}

function detectIn(
  { name, columns, sheet }: OpenInput,
  sample: readonly InputRow[],
  as: Reading | undefined,
  warn: (...texts: string[]) => void,
) {
  const good = sample.filter(({ problem }) => problem === undefined);
  const { identify: found } = detectColumns(
    columns,
    good.map(({ cells }) => cells),
  );
  if (found.length === 0) {
    throw usage(
      `no column of ${name} identifies companies; columns: ${listedColumns(columns)}. For company names: \`dossier register load FILE…\`, then \`dossier register find NAME\` (docs/names.md)${sheetHint(sheet)}`,
    );
  }
  const words = found.map(
    (one) => `${one.column} as ${kindName(as ?? one.as)} (${formatShare(one.share)} fit)`,
  );
  warn(`${name}: reading ${words.join(', ')}; choose other columns with --column`);
  return found.map((column) => ({ ...column, as: as ?? column.as }));
}

/** Undefined for a table: its first line has tabs. */
async function readLineRows(path: string, encoding: string | undefined) {
  const { name, bytes: source, close } = await openSource(path);
  const { head, bytes: raw } = await peekBytes(source, peekedBytes);
  if (isZip(head)) {
    throw usage(
      `${name} is a workbook, not text with one value per line; name a column with --column`,
    );
  }
  // Standard input cannot be read again as a table.
  if (path !== '-' && /^[^\n]*\t/.test(head.toString('latin1'))) {
    await close();
    return undefined;
  }
  const { onGuess, notes, guessedEncoding } = createReadingNotes(name);
  const bytes = decodeBytes(raw, chooseEncoding(head, encoding), name, onGuess);
  async function* rows(): AsyncGenerator<InputRow> {
    try {
      for await (const { number, text: cell } of readLines(bytes, maxLineBytes)) {
        yield { number, line: number, cells: [cell] };
      }
    } finally {
      await close();
    }
  }
  return { name, rows: rows(), notes, guessedEncoding };
}
