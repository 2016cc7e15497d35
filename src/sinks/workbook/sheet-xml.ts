import type { Cell, Column, FlatRecord } from '../../records/columns/columns.ts';
import { cellStyles, cellXml, textXml } from './cell-xml.ts';

/** Rows of a sheet, the one with the names included. */
export const maxSheetRows = 1_048_576;
export const maxSheetColumns = 16_384;

export const spreadsheetNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Gives the rows of a sheet as XML. */
export interface RowXml {
  /** `number` is that of the row in the sheet, from 1. */
  of(record: FlatRecord, number: number): string;
  /** Cells whose text was cut off. */
  cutCells(): number;
}

export function openRowXml(columns: readonly Column[]): RowXml {
  const types = columns.map(({ type }) => type);
  const letters = columns.map((_, index) => columnLetters(index));
  let cutCells = 0;
  const onCut = () => {
    cutCells += 1;
  };
  return {
    of(record, number) {
      let row = `<row r="${number}">`;
      for (const [index, type] of types.entries()) {
        const cell = cellXml(type, record[index] ?? null, onCut);
        if (cell !== '') row += `<c r="${letters[index]}${number}" ${cell}`;
      }
      return `${row}</row>`;
    },
    cutCells: () => cutCells,
  };
}

/** All that stands before the records: the first row with the names stays in view. */
export function sheetHead(columns: readonly Column[], sample: readonly FlatRecord[]): string {
  const names = columns.map(
    ({ name }, index) =>
      `<c r="${columnLetters(index)}1" ${textXml(name, () => {}, cellStyles.header)}`,
  );
  const widths = columns.map(({ name }, index) => {
    const width = columnWidth(
      name,
      sample.map((record) => record[index] ?? null),
    );
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  return [
    `${xmlDeclaration}<worksheet xmlns="${spreadsheetNamespace}">`,
    '<sheetViews><sheetView workbookViewId="0">',
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
    '</sheetView></sheetViews>',
    widths.length > 0 ? `<cols>${widths.join('')}</cols>` : '',
    `<sheetData><row r="1">${names.join('')}</row>`,
  ].join('');
}

/** What stands behind the last row: the filter, and that digits are text on purpose. */
export function sheetTail(columns: number, rows: number): string {
  const range = sheetRange(columns, rows);
  return [
    `</sheetData><autoFilter ref="${range}"/>`,
    `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`,
    '</worksheet>',
  ].join('');
}

function sheetRange(columns: number, rows: number): string {
  return `A1:${columnLetters(Math.max(columns, 1) - 1)}${rows}`;
}

/** `$A$1:$AB$205` of the same cells, as names of a workbook refer to them. */
export function absoluteRange(columns: number, rows: number): string {
  return sheetRange(columns, rows).replace(/[A-Z]+|\d+/g, '$$$&');
}

/** `0 → A`, `25 → Z`, `26 → AA` */
function columnLetters(index: number): string {
  const before = Math.floor(index / 26);
  const last = String.fromCharCode(65 + (index % 26));
  return before === 0 ? last : columnLetters(before - 1) + last;
}

/** In characters. Long texts go on below the next cell, or out of sight. */
const narrowest = 8;
const widest = 44;
/** The button of the filter stands in the cell of the name. */
const buttonWidth = 4;
const widestName = 28;
const timestampWidth = 19;

function columnWidth(name: string, cells: readonly Cell[]): number {
  const longest = Math.max(
    Math.min(name.length + buttonWidth, widestName),
    ...cells.map(shownLength),
  );
  return Math.min(Math.max(longest + 1, narrowest), widest);
}

function shownLength(cell: Cell): number {
  if (cell === null) return 0;
  if (typeof cell === 'object') return cell.join('; ').length;
  const { length } = String(cell);
  return /^\d{4}-\d\d-\d\dT.*Z$/.test(String(cell)) ? timestampWidth : length;
}
