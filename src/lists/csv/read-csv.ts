import { counted } from '../../core/values/format.ts';
import { peekBytes } from '../../platform/files/read-bytes.ts';
import { skipBytes } from '../bytes.ts';
import { countTitleRows, looksLikeHeader, nameColumns } from '../header.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import { invalid } from '../list-errors.ts';
import type { InputOptions } from '../open-input.ts';
import {
  type CsvRecord,
  type Dialect,
  parseCells,
  scanRecord,
  splitRecords,
} from './csv-records.ts';

const sampleBytes = 256 * 1024;
const extraColumn = 'extra_cells';
/** Postal addresses have up to four lines, so only longer cells may be swallowed rows. */
const minLinesChecked = 5;

export async function readCsv(
  source: AsyncIterable<Buffer>,
  name: string,
  options: InputOptions & { readonly maxRecordLength: number },
): Promise<InputTable> {
  const { head, isWhole, bytes } = await peekBytes(source, sampleBytes);
  const { maxRecordLength, headerRow } = options;
  const sample = head.toString('utf8');
  const { above, title, ...sniffed } = sniffDialect(sample, isWhole, options.delimiter, headerRow);
  const { widest, titleRows, ...dialect } = sniffed;
  const hasTitle = options.header === undefined && titleRows > 0;
  const skipped = hasTitle ? above + title : above;
  const batches = splitRecords(skipBytes(bytes, Buffer.byteLength(skipped)), {
    ...dialect,
    name,
    maxRecordLength,
    firstLine: skipped.split(dialect.lineEnd).length,
  });

  const records = (await batches.next()).value ?? [];
  const first = records[0];
  checkFirst(name, first, headerRow);
  const { cells } = first;
  const hasHeader = options.header ?? (headerRow !== undefined || looksLikeHeader(cells));
  if (hasHeader && first.problem !== undefined) {
    throw invalid(`${name}, line ${first.line}: the column names cannot be read: ${first.problem}`);
  }
  const unnamed = new Array<undefined>(Math.max(widest, cells.length)).fill(undefined);
  const named = hasHeader ? cells : unnamed;
  const columns = nameColumns(named);
  const width = columns.length;

  function keepExtra(cells: readonly string[]) {
    const extra = cells.slice(width);
    if (extra.every((cell) => cell.trim() === '')) return cells.slice(0, width);
    if (columns.length === width) {
      columns.push(...nameColumns([...named, extraColumn]).slice(width));
    }
    return [...cells.slice(0, width), extra.join(dialect.delimiter)];
  }

  let number = 0;
  function toRow(record: CsvRecord): InputRow {
    number += 1;
    const { line, problem = problemOf(record, width, dialect) } = record;
    const cells: (string | undefined)[] =
      record.cells.length > width ? keepExtra(record.cells) : record.cells;
    while (cells.length < width) cells.push(undefined);
    return { number, line, cells, problem };
  }

  async function* readBatches() {
    yield (hasHeader ? records.slice(1) : records).map(toRow);
    for await (const batch of batches) yield batch.map(toRow);
  }
  return {
    columns,
    hasHeader,
    headerLine: hasHeader ? first.line : undefined,
    delimiter: dialect.delimiter,
    titleRows: hasTitle ? titleRows : 0,
    batches: readBatches(),
  };
}

function checkFirst(
  name: string,
  first: CsvRecord | undefined,
  headerRow: number | undefined,
): asserts first is CsvRecord {
  const isThere = first?.line === headerRow && first?.cells.some((cell) => cell.trim() !== '');
  if (headerRow !== undefined && !isThere) {
    throw invalid(`${name} has no column names in line ${headerRow}: the line is blank or missing`);
  }
  if (first === undefined) {
    throw invalid(`${name} is empty: it needs a line of column names and a row for each company`);
  }
}

function problemOf({ line, lines, cells }: CsvRecord, width: number, dialect: Dialect) {
  if (cells.some((cell) => cell.includes('\0'))) return `line ${line} contains a NUL byte`;
  if (lines >= minLinesChecked && cells.some((cell) => holdsRows(cell, width, dialect))) {
    return `a quote opens on line ${line} and closes on line ${line + lines - 1}, and all lines in between look like rows`;
  }
  if (cells.length === width) return undefined;
  const found = counted(cells.length, 'cell');
  const mismatch = `line ${line} has ${found} instead of ${width}`;
  if (cells.slice(width).some((cell) => cell.trim() !== '')) return mismatch;
  return cells.length < width && lines > 1 ? `${mismatch}; a quote may be misplaced` : undefined;
}

function holdsRows(cell: string, width: number, { delimiter, lineEnd }: Dialect) {
  const inside = cell.split(lineEnd).slice(1, -1);
  return (
    inside.length > 0 &&
    delimiter !== undefined &&
    inside.every((text) => text.split(delimiter).length === width)
  );
}

const commonDelimiters = [',', ';', '\t', '|'] as const;
const maxSampleRecords = 100;

const fairShare = 0.5;

export function sniffDialect(
  sample: string,
  isWhole: boolean,
  given: string | undefined,
  headerRow?: number,
) {
  const lineEnd = sniffLineEnd(sample);
  const separator = /^"?sep=(?<delimiter>[^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(sample);
  const above =
    headerRow === undefined ? (separator?.[0] ?? '') : linesAbove(sample, headerRow, lineEnd);
  const body = sample.slice(above.length);
  const known = given ?? separator?.groups?.delimiter;

  function split(delimiter: string | undefined) {
    const records = readRecords(body, { delimiter, lineEnd }, isWhole);
    const titleRows =
      headerRow === undefined ? countTitleRows(records.map(({ cells }) => cells)) : 0;
    const table = records.slice(titleRows);
    const first = table[0]?.cells.length ?? 1;
    const alike = records.filter(({ cells, isRegular }) => isRegular && cells.length === first);
    const isBare = records[0]?.cells.length === 1;
    const alikeShare = alike.length / records.length;
    return {
      delimiter,
      titleRows,
      title: body.slice(0, table[0]?.start),
      first,
      // If false, the delimiter is just punctuation in a single column.
      isTable: !isBare || (table.length > 1 && alike.length / table.length >= 0.9),
      isFair: !isBare && alikeShare >= fairShare,
      alikeShare,
      widest: Math.max(1, ...records.map(({ cells }) => cells.length)),
    };
  }

  const fitting = (known === undefined ? commonDelimiters : [known])
    .map(split)
    .filter(({ first, isTable }) => known !== undefined || (first > 1 && isTable))
    .sort(
      (a, b) =>
        Number(b.isFair) - Number(a.isFair) || b.alikeShare - a.alikeShare || b.first - a.first,
    );
  const { delimiter, titleRows, title, widest } = fitting[0] ?? split(undefined);
  return { delimiter, lineEnd, above, titleRows, title, widest };
}

/** The whole sample if the line is not in it. */
function linesAbove(sample: string, line: number, lineEnd: string) {
  const lines = sample.split(lineEnd, line - 1);
  return sample.slice(
    0,
    lines.reduce((end, { length }) => end + length + 1, 0),
  );
}

/** Old Mac files end records with CR but may have LF inside quotes. */
function sniffLineEnd(sample: string): '\n' | '\r' {
  const outsideQuotes = sample.replaceAll(/"[^"]*"/g, '');
  return outsideQuotes.includes('\n') || !outsideQuotes.includes('\r') ? '\n' : '\r';
}

function readRecords(sample: string, dialect: Dialect, isWhole: boolean) {
  const { lineEnd } = dialect;
  const text = isWhole ? sample + lineEnd : sample;
  const records: { start: number; text: string; isPlain: boolean }[] = [];
  let start = 0;
  while (records.length < maxSampleRecords) {
    const lineBreak = text.indexOf(lineEnd, start);
    if (lineBreak === -1) break;
    const { end, openedAt } = scanRecord(text, start, dialect);
    const own = text.slice(start, end ?? lineBreak).replace(/\r$/, '');
    const isPlain = openedAt !== undefined || !own.includes('"');
    if (!/^ *$/.test(own)) records.push({ start, text: own, isPlain });
    start = (end ?? lineBreak) + 1;
  }
  const cells = parseCells(records, dialect);
  return records.map(({ start: at }, index) => {
    const found = cells[index] ?? [];
    // A quote left in a cell suggests a wrong delimiter.
    return { start: at, cells: found, isRegular: !found.some((cell) => cell.includes('"')) };
  });
}
