import { DossierError } from '../../core/errors.ts';
import { isReject } from '../../core/identify/identifier.ts';
import { identifyCell } from '../../core/identify/identify-cell.ts';
import { dayMs } from '../../core/values/duration.ts';
import { formatNumber } from '../../core/values/format.ts';
import { countTitleRows, looksLikeHeader, nameColumns } from '../header.ts';
import {
  type InputRow,
  type InputTable,
  indexOfColumn,
  listedColumns,
  type SheetChoice,
} from '../input-row.ts';
import { invalid, unreadable } from '../list-errors.ts';
import type { InputOptions } from '../open-input.ts';
import type { XmlAttributes } from '../zip-xml.ts';
import { plainText, readWorkbook } from './read-workbook.ts';

type Workbook = Awaited<ReturnType<typeof readWorkbook>>;
type Sheet = Workbook['sheets'][number];

type SheetRow = Omit<InputRow, 'number'> & { readonly cells: (string | undefined)[] };

const mostSheetsTried = 20;
/** Read ahead to count the columns, because rows may be wider than the header. */
const sampleRows = 100;
/** A sheet with more has stray cells far away from the list. */
const mostCells = 50_000_000;
/** The last column of a sheet is XFD. */
const mostColumns = 16_384;

export async function readSheet(
  fd: number,
  name: string,
  options: InputOptions,
): Promise<InputTable & { sheet: SheetChoice }> {
  const { headerRow } = options;
  const workbook = await readWorkbook(name, fd).catch((error: Error) => {
    throw damaged(`${name} starts like an Excel workbook but`, error);
  });
  const { sheets } = workbook;
  const open = (sheet: Sheet) => openRows(name, workbook, sheet, headerRow);
  const { sheet, rows, filled } = await chooseSheet(
    name,
    findSheets(name, sheets, options.sheet),
    open,
  );
  const titleRows = rowsAbove(filled, options);
  const sample = filled.slice(titleRows);
  const first = sample[0];
  if (!first || (headerRow !== undefined && first.line !== headerRow)) {
    const what =
      filled.length > 0
        ? `has no column names in row ${headerRow}: the row is blank or missing`
        : 'is empty: it needs a row of column names and a row for each company';
    throw invalid(`${name}: the sheet ${JSON.stringify(sheet.name)} ${what}`);
  }
  const hasHeader = options.header ?? (headerRow !== undefined || looksLikeHeader(first.cells));
  const columns: string[] = [];
  growColumns(Math.max(...sample.map(({ cells }) => cells.length)));

  function growColumns(width: number) {
    if (width <= columns.length) return;
    const header = hasHeader ? first?.cells : [];
    const named = nameColumns(Array.from({ length: width }, (_, index) => header?.[index]));
    columns.push(...named.slice(columns.length));
  }

  async function* readBatches() {
    let number = 0;
    const toRow = (row: SheetRow): InputRow => {
      number += 1;
      growColumns(row.cells.length);
      if (number * columns.length > mostCells) {
        throw invalid(
          `${name}: the sheet ${JSON.stringify(sheet.name)} has ${formatNumber(columns.length)} columns, and too many rows for so many columns: delete stray cells beside the list, or save it as CSV`,
        );
      }
      while (row.cells.length < columns.length) row.cells.push(undefined);
      return { number, ...row };
    };
    yield (hasHeader ? sample.slice(1) : sample).map(toRow);
    for await (const batch of rows) yield batch.map(toRow);
  }
  const others = sheets.filter((other) => other.isVisible && other !== sheet);
  return {
    columns,
    hasHeader,
    headerLine: hasHeader ? first.line : undefined,
    titleRows: headerRow === undefined ? titleRows : 0,
    sheet: {
      name: sheet.name,
      others: others.map((other) => other.name),
      lists: await findLists(others, open),
    },
    batches: readBatches(),
  };
}

async function openRows(
  name: string,
  workbook: Workbook,
  sheet: Sheet,
  headerRow: number | undefined,
) {
  const mostSampled = sampleRows + (headerRow ?? 0);
  const rows = filledRows(name, workbook, sheet);
  const filled: SheetRow[] = [];
  while (filled.length < mostSampled) {
    const next = await rows.next();
    if (next.done) break;
    filled.push(...next.value);
  }
  return { sheet, rows, filled, isList: hasIdentifiers(filled.slice(0, mostSampled)) };
}

type Open = (sheet: Sheet) => ReturnType<typeof openRows>;

/** The first sheet with identifiers, or else the first. */
async function chooseSheet(name: string, sheets: readonly Sheet[], open: Open) {
  let first: Awaited<ReturnType<Open>> | undefined;
  for (const sheet of sheets) {
    const opened = await open(sheet);
    if (opened.isList) {
      await first?.rows.return();
      return opened;
    }
    if (first) await opened.rows.return();
    first ??= opened;
  }
  if (!first) throw invalid(`${name} has no sheet`);
  return first;
}

async function findLists(sheets: readonly Sheet[], open: Open) {
  const lists: string[] = [];
  for (const sheet of sheets.slice(0, mostSheetsTried)) {
    // A damaged sheet matters only if it is read.
    const tried = await open(sheet).catch(() => undefined);
    await tried?.rows.return();
    if (tried?.isList) lists.push(sheet.name);
  }
  return lists;
}

function findSheets(name: string, sheets: readonly Sheet[], wanted: string | undefined) {
  if (wanted === undefined) {
    const visible = sheets.filter(({ isVisible }) => isVisible);
    return visible.length > 0 ? visible : sheets.slice(0, 1);
  }
  const names = sheets.map((sheet) => sheet.name);
  const found = sheets[indexOfColumn(names, wanted)];
  if (found) return [found];
  throw new DossierError(
    'COLUMNS_UNCLEAR',
    `${name} has no sheet ${JSON.stringify(wanted)}; it has ${listedColumns(names)}`,
  );
}

function hasIdentifiers(rows: readonly SheetRow[]) {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  return Array.from({ length: width }).some((_, column) => {
    const filled = rows.flatMap(({ cells }) => cells[column]?.trim() || []);
    const found = filled.filter((cell) => !isReject(identifyCell(cell, 'auto')));
    return found.length > 0 && found.length >= filled.length / 2;
  });
}

function rowsAbove(rows: readonly SheetRow[], { header, headerRow }: InputOptions) {
  if (headerRow !== undefined) {
    const at = rows.findIndex(({ line }) => line >= headerRow);
    return at === -1 ? rows.length : at;
  }
  return header === undefined ? countTitleRows(rows.map(({ cells }) => cells)) : 0;
}

async function* filledRows(name: string, workbook: Workbook, sheet: Sheet) {
  let rows: SheetRow[] = [];
  let line = 0;
  let cells: (string | undefined)[] = [];
  let cell: XmlAttributes = {};
  let value = '';
  let isInside = false;

  function startTag(tag: string, attributes: XmlAttributes) {
    if (tag === 'row') {
      line = Number(attributes.r ?? line + 1);
      cells = [];
    } else if (tag === 'c') {
      cell = attributes;
      value = '';
    }
  }
  function endTag(tag: string, text: string) {
    if (tag === 'v' || tag === 't') value += text;
    else if (tag === 'c') endCell();
    else if (tag === 'row') {
      while (cells.length > 0 && (cells.at(-1) ?? '').trim() === '') cells.pop();
      if (cells.length > 0) rows.push({ line, cells });
    }
  }
  function endCell() {
    const reference = cell.r;
    const column = reference === undefined ? cells.length : columnOf(reference);
    if (!(column < mostColumns))
      throw new Error(`its sheet refers to an impossible cell, ${reference}`);
    while (cells.length < column) cells.push(undefined);
    cells[column] = cellText(value, cell, workbook);
  }
  const chunks = sheet.read((tag, isEnd, attributes, text) => {
    if (tag === 'sheetData') isInside = !isEnd;
    // Button positions after the cells also have `row` tags.
    if (!isInside) return;
    if (isEnd) endTag(tag, text);
    else startTag(tag, attributes);
  });
  try {
    for await (const _ of chunks) {
      if (rows.length > 0) yield rows;
      rows = [];
    }
  } catch (error) {
    const where = line === 0 ? '' : ` at row ${line}`;
    throw damaged(`${name}: the sheet ${JSON.stringify(sheet.name)}`, error as Error, where);
  }
}

function damaged(what: string, error: Error, where = '') {
  if (error instanceof DossierError) return error;
  return unreadable(
    `${what} is damaged${where} (${error.message}). Open it and save it again, or save it as CSV`,
    { cause: error },
  );
}

/** `C12 → 2` */
function columnOf(reference: string) {
  let column = 0;
  for (let at = 0; at < reference.length; at += 1) {
    // Clearing this bit makes letters upper case and turns digits into codes below `A`.
    const code = reference.charCodeAt(at) & ~0x20;
    if (code < 65) break;
    column = column * 26 + code - 64;
  }
  return column - 1;
}

function cellText(value: string, cell: XmlAttributes, { texts, formats, is1904 }: Workbook) {
  const type = cell.t ?? 'n';
  if (type === 'inlineStr' || type === 'str') return plainText(value);
  if (value === '') return undefined;
  if (type === 's') {
    const text = texts[Number(value)];
    if (text === undefined) throw new Error('the text of a cell is missing');
    return text;
  }
  if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
  const number = Number(value);
  if (type !== 'n' || Number.isNaN(number)) return plainText(value);
  const { isDate, minDigits } = formats[Number(cell.s ?? 0)] ?? {};
  return isDate
    ? dateText(is1904 ? number + daysUntil1904 : number)
    : numberText(number, minDigits);
}

/** Excel shows at most 15 digits; the rest are rounding errors. */
const significantDigits = 15;

/** `5.1824753556E10 → 51824753556`, `0.1 + 0.2 → 0.3` */
function numberText(number: number, minDigits = 0) {
  if (!Number.isFinite(number)) return String(number);
  if (Number.isInteger(number)) {
    const whole = Math.abs(number);
    const digits = String(Number.isSafeInteger(whole) ? whole : BigInt(whole));
    return (number < 0 ? '-' : '') + digits.padStart(minDigits, '0');
  }
  const short = String(Number(number.toPrecision(significantDigits)));
  return short.includes('e') ? number.toFixed(20).replace(/0+$/, '') : short;
}

const daysUntil1904 = 1_462;
const daysUntil1970 = 25_569;

/** `2026-03-01`, `2026-03-01T09:30:00`, `09:30:00`, or `#####` for an invalid date, as in Excel. */
function dateText(days: number) {
  // Excel counts 29 February 1900, which did not exist.
  const date = new Date(Math.round((days - daysUntil1970 + (days < 60 ? 1 : 0)) * dayMs));
  if (Number.isNaN(date.getTime())) return '#####';
  const [day = '', time = ''] = date.toISOString().slice(0, -5).split('T');
  if (days < 1) return time;
  return time === '00:00:00' ? day : `${day}T${time}`;
}
