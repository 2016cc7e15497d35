import { streamXlsxRows } from 'hucre/xlsx';
import { DossierError } from '../../errors.ts';
import { looksLikeHeader } from '../header/detect-header.ts';
import { countTitleRows } from '../header/find-title.ts';
import { nameColumns } from '../header/name-columns.ts';
import type { InputRow, InputTable } from '../input-row.ts';
import type { SheetChoice } from '../sheet-choice.ts';
import { type CellValue, cellText } from './cell-text.ts';
import { listNumberFormats, type WorkbookSheet } from './describe-workbook.ts';
import { openWorkbook } from './open-workbook.ts';
import { findZeroPadding } from './zero-padding.ts';
import { readZipText } from './zip-directory.ts';

export interface SheetOptions {
  readonly name: string;
  /** Name of the sheet; when absent, the first sheet that is not hidden. */
  readonly sheet: string | undefined;
  readonly header: boolean | undefined;
  /** Number of the row in the sheet that names the columns. */
  readonly headerRow: number | undefined;
}

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
  options: SheetOptions,
): Promise<InputTable & { sheet: SheetChoice; close(): Promise<void> }> {
  const { name, headerRow } = options;
  const { parts, sheet, choice } = openWorkbook(name, zip, options.sheet);
  const head = readZipText(zip, sheet.part, headBytes);
  const padding = findZeroPadding(head, listNumberFormats(zip, parts));
  const rows = filledRows(zip, sheet, padding, name);
  const filled = await take(rows, sampleRows);
  const titleRows = rowsAbove(filled, options);
  const sample = filled.slice(titleRows);
  const first = sample[0];
  if (filled.length > 0 && !first) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name}: the sheet ${JSON.stringify(sheet.name)} has no row ${headerRow} among its first ${sampleRows} to name its columns`,
    );
  }
  if (!first) {
    throw new DossierError(
      'INPUT_INVALID',
      `${name}: the sheet ${JSON.stringify(sheet.name)} is empty: it needs a row of column names and a row for each company`,
    );
  }
  const hasHeader = options.header ?? (headerRow !== undefined || looksLikeHeader(first.cells));
  const widest = sample.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const columns: string[] = [];
  growColumns(widest);

  function growColumns(width: number): void {
    if (width <= columns.length) return;
    const header = hasHeader ? first?.cells : [];
    const named = nameColumns(Array.from({ length: width }, (_, index) => header?.[index]));
    columns.push(...named.slice(columns.length));
  }

  async function* readBatches(): AsyncGenerator<InputRow[]> {
    let number = 0;
    const toRow = ({ line, cells }: SheetRow): InputRow => {
      number += 1;
      growColumns(cells.length);
      while (cells.length < columns.length) cells.push(undefined);
      return { number, line, cells };
    };
    try {
      yield (hasHeader ? sample.slice(1) : sample).map(toRow);
      for await (const row of rows) yield [toRow(row)];
    } finally {
      await close();
    }
  }
  // Without this the xlsx reader goes on unpacking to the end of the sheet.
  const close = async () => void (await rows.return(undefined));
  const skipped = headerRow === undefined ? titleRows : 0;
  const headerLine = hasHeader ? first.line : undefined;
  const facts = { hasHeader, headerLine, titleRows: skipped, sheet: choice };
  return { columns, ...facts, batches: readBatches(), close };
}

/** Rows above the one that names the columns: those above `headerRow`, or a title. */
function rowsAbove(rows: readonly SheetRow[], { header, headerRow }: SheetOptions): number {
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
    throw new DossierError(
      'INPUT_UNREADABLE',
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
