import { streamXlsxRows } from 'hucre/xlsx';
import { countTitleRows, looksLikeHeader, nameColumns } from '../header.ts';
import type { InputRow, InputTable, SheetChoice } from '../input-row.ts';
import { invalid, unreadable } from '../list-errors.ts';
import type { InputOptions } from '../open-input.ts';
import { openWorkbook, readXmlTags, readZipText, type WorkbookSheet } from './open-workbook.ts';

/** A row that has at least one filled cell. */
interface SheetRow {
  /** Number of the row in the sheet, from 1. */
  readonly line: number;
  readonly cells: (string | undefined)[];
}

/** Rows that are read before `columns` is known: they may have more cells than the header. */
const sampleRows = 100;
/** Compressed bytes from the start of the sheet that are searched for the number formats. */
const headBytes = 128 * 1024;

/** Reads one sheet of an Excel workbook. `columns` grows when a later row is wider. */
export async function readSheet(
  zip: Buffer,
  name: string,
  options: InputOptions,
): Promise<InputTable & { sheet: SheetChoice; close(): Promise<void> }> {
  const { headerRow } = options;
  const { sheet, choice, numberFormats } = openWorkbook(name, zip, options.sheet);
  const head = readZipText(zip, sheet.part, headBytes);
  const padding = findZeroPadding(head, numberFormats());
  const rows = filledRows(zip, sheet, padding, name);
  const filled = await take(rows, sampleRows);
  const titleRows = rowsAbove(filled, options);
  const sample = filled.slice(titleRows);
  const first = sample[0];
  if (!first) {
    const what =
      filled.length > 0
        ? `has no row ${headerRow} among its first ${sampleRows} to name its columns`
        : 'is empty: it needs a row of column names and a row for each company';
    throw invalid(`${name}: the sheet ${JSON.stringify(sheet.name)} ${what}`);
  }
  const hasHeader = options.header ?? (headerRow !== undefined || looksLikeHeader(first.cells));
  const widest = sample.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const columns: string[] = [];
  growColumns(widest);

  function growColumns(width: number) {
    if (width <= columns.length) return;
    const header = hasHeader ? first?.cells : [];
    const named = nameColumns(Array.from({ length: width }, (_, index) => header?.[index]));
    columns.push(...named.slice(columns.length));
  }

  async function* readBatches() {
    let number = 0;
    const toRow = ({ line, cells }: SheetRow): InputRow => {
      number += 1;
      growColumns(cells.length);
      while (cells.length < columns.length) cells.push(undefined);
      return { number, line, cells };
    };
    yield (hasHeader ? sample.slice(1) : sample).map(toRow);
    for await (const row of rows) yield [toRow(row)];
  }
  const skipped = headerRow === undefined ? titleRows : 0;
  const headerLine = hasHeader ? first.line : undefined;
  return {
    columns,
    hasHeader,
    headerLine,
    titleRows: skipped,
    sheet: choice,
    batches: readBatches(),
    // Without this the xlsx reader goes on unpacking to the end of the sheet.
    close: async () => void (await rows.return(undefined)),
  };
}

/** Rows above the one that names the columns: those above `headerRow`, or a title. */
function rowsAbove(rows: readonly SheetRow[], { header, headerRow }: InputOptions) {
  if (headerRow !== undefined) {
    const at = rows.findIndex(({ line }) => line >= headerRow);
    return at === -1 ? rows.length : at;
  }
  return header === undefined ? countTitleRows(rows.map(({ cells }) => cells)) : 0;
}

/** The rows with a filled cell. Blank rows are left out, and blank cells at the end of a row. */
async function* filledRows(
  zip: Buffer,
  sheet: WorkbookSheet,
  padding: ReadonlyMap<number, number>,
  name: string,
): AsyncGenerator<SheetRow> {
  let line = 0;
  try {
    for await (const { index, values } of streamXlsxRows(zip, { sheet: sheet.index })) {
      line = index + 1;
      const cells = values.map((value: CellValue, column) => cellText(value, padding.get(column)));
      while (cells.length > 0 && (cells.at(-1) ?? '').trim() === '') cells.pop();
      if (cells.length > 0) yield { line, cells };
    }
  } catch (error) {
    const where = line === 0 ? '' : ` behind row ${line}`;
    throw unreadable(
      `${name}: the sheet ${JSON.stringify(sheet.name)} is damaged${where} (${(error as Error).message}). ` +
        'Open it and save it once more, or save it as CSV',
      { cause: error },
    );
  }
}

async function take(rows: AsyncGenerator<SheetRow>, count: number): Promise<SheetRow[]> {
  const taken: SheetRow[] = [];
  while (taken.length < count) {
    const next = await rows.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

export type CellValue = string | number | boolean | Date | null | undefined;

/** Spreadsheets show at most this many digits; further digits are rounding errors. */
const significantDigits = 15;
const firstDay = Date.UTC(1900, 0, 1);

/**
 * Writes a cell as a person would type it: numbers without an exponent, dates in ISO 8601. An empty
 * cell is undefined. Whole numbers are padded with zeros to `minDigits`.
 */
export function cellText(value: CellValue, minDigits = 0): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return typeof value === 'number' ? numberText(value, minDigits) : dateText(value);
}

/** `5.1824753556E10 → 51824753556`, `0.1 + 0.2 → 0.3` */
function numberText(number: number, minDigits: number) {
  if (!Number.isFinite(number)) return String(number);
  if (Number.isInteger(number)) {
    const digits = BigInt(Math.abs(number)).toString().padStart(minDigits, '0');
    return number < 0 ? `-${digits}` : digits;
  }
  const short = String(Number(number.toPrecision(significantDigits)));
  return short.includes('e') ? number.toFixed(20).replace(/0+$/, '') : short;
}

/** `2026-03-01`, `2026-03-01T09:30:00`, `09:30:00`; an impossible date is `#####`, as in Excel. */
function dateText(date: Date) {
  if (Number.isNaN(date.getTime())) return '#####';
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .split('T');
  if (date.getTime() < firstDay) return time;
  return time === '00:00:00' ? day : `${day}T${time}`;
}

/** A format of zeros and separators, without decimals, thousands, dates or words. */
const zerosOnly = /^(?:0|[ -]|\\.|"[^"]*")+$/;
const maxRows = 1_000;

/**
 * Finds how many digits each column shows at least, by column index from 0. The format
 * `000 000 000` shows leading zeros that the stored number lacks, and a company number needs them.
 * The cells of a column share one format, so the first rows are enough.
 */
export function findZeroPadding(
  sheetXml: string,
  formats: readonly string[],
): ReadonlyMap<number, number> {
  const digits = new Map<number, number>();
  let rows = 0;
  for (const { name, attributes } of readXmlTags(sheetXml)) {
    if (name === 'row') rows += 1;
    if (rows > maxRows) break;
    // A number format does not change how text and errors are shown.
    if (name !== 'c' || !isNumber(attributes.get('t'))) continue;
    const column = columnOf(attributes.get('r') ?? '');
    const padding = paddingOf(formats[Number(attributes.get('s') ?? 0)] ?? '');
    // When the formats of a column differ, the fewest digits count: padding must not invent a zero.
    digits.set(column, Math.min(digits.get(column) ?? padding, padding));
  }
  return new Map([...digits].filter(([, padding]) => padding > 1));
}

/** `000 000 000 → 9`, `General → 0` */
function paddingOf(format: string) {
  if (!zerosOnly.test(format)) return 0;
  return format.replaceAll(/\\.|"[^"]*"/g, '').replaceAll(/[^0]/g, '').length;
}

function isNumber(type: string | undefined) {
  return type === undefined || type === 'n';
}

/** `C12 → 2` */
function columnOf(reference: string) {
  let column = 0;
  for (const letter of reference.replace(/\d+$/, '').toUpperCase()) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}
