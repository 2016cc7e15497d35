import type { Cell, Column, ColumnType, FlatRecord } from '../../core/columns/columns.ts';
import type { TableName } from '../../core/columns/tables.ts';
import { dayMs } from '../../core/values/duration.ts';

/** Indexes in `styles.xml`. */
const cellStyles = { plain: 0, text: 1, timestamp: 2, header: 3 } as const;

/** Excel's limit, in UTF-16 units. */
export const maxExcelCellLength = 32_767;
const cutMark = ' … (cut off)';

/** Excel keeps only 15 digits of a number. */
const leastTooLong = 1e15;

/** The XML after the cell reference, such as `t="b"><v>1</v></c>`. */
function cellXml(type: ColumnType, cell: Cell, onCut: () => void) {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'boolean') return `t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number') return numberXml(cell);
  if (typeof cell === 'object') return cell.length === 0 ? '' : textXml(cell.join('; '), onCut);
  return (type === 'timestamp' && timeXml(cell)) || textXml(cell, onCut);
}

/** With the text style, the cell stays text when a user edits it. */
function textXml(text: string, onCut: () => void, style: number = cellStyles.text) {
  const whole = text.toWellFormed();
  const kept = whole.length > maxExcelCellLength ? cutText(whole) : whole;
  if (kept !== whole) onCut();
  const space = isSpaced.test(kept) ? ' xml:space="preserve"' : '';
  return `s="${style}" t="inlineStr"><is><t${space}>${escapeXml(kept)}</t></is></c>`;
}

/** `_x0007_` is Excel's escape of a control character. */
function escapeXml(text: string) {
  if (!needsEscape.test(text)) return text;
  return text.replace(escaped, (sign) => entities[sign] ?? `_x${codeOf(sign)}_`);
}

const isSpaced = /^\s|\s$|[\n\t]/;

/** XML forbids control characters and reads CR as LF. */
const unwritable = String.raw`(?![\t\n])\p{Cc}|[\ufffe\uffff]`;
const looksEscaped = String.raw`_(?=x[\dA-Fa-f]{4}(?:_|${unwritable}))`;
const needsEscape = new RegExp(`[&<>]|${looksEscaped}|${unwritable}`, 'u');
const escaped = new RegExp(needsEscape, 'gu');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function codeOf(sign: string) {
  return sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
}

function cutText(text: string) {
  const kept = text.slice(0, maxExcelCellLength - cutMark.length);
  return (kept.isWellFormed() ? kept : kept.slice(0, -1)) + cutMark;
}

function numberXml(number: number) {
  const isTooLong = Number.isInteger(number) && Math.abs(number) >= leastTooLong;
  if (isTooLong || !Number.isFinite(number)) return textXml(String(number), () => {});
  return `><v>${number}</v></c>`;
}

const firstDayOfUnix = 25_569;
/** Earlier times stay text: Excel counts a 29 February 1900, and other programs do not. */
const earliest = Date.UTC(1900, 2, 1);
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function timeXml(time: string) {
  const milliseconds = Date.parse(time);
  if (!(milliseconds >= earliest && milliseconds <= latest)) return '';
  const days = milliseconds / dayMs + firstDayOfUnix;
  return `s="${cellStyles.timestamp}"><v>${days}</v></c>`;
}

export const maxSheetRows = 1_048_576;
export const maxSheetColumns = 16_384;

const spreadsheetNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function createRowXml(columns: readonly Column[]) {
  const types = columns.map(({ type }) => type);
  const letters = columns.map((_, index) => columnLetters(index));
  let cutCells = 0;
  const onCut = () => {
    cutCells += 1;
  };
  return {
    rowXml(record: FlatRecord, number: number): string {
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

export function sheetHead(columns: readonly Column[]): string {
  const names = columns.map(
    ({ name }, index) =>
      `<c r="${columnLetters(index)}1" ${textXml(name, () => {}, cellStyles.header)}`,
  );
  const widths = columns.map(({ name }, index) => {
    const width = Math.min(Math.max(name.length + buttonWidth, narrowest), widest);
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

export function sheetTail(columns: number, rows: number): string {
  const range = sheetRange(columns, rows);
  return [
    `</sheetData><autoFilter ref="${range}"/>`,
    `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`,
    '</worksheet>',
  ].join('');
}

function sheetRange(columns: number, rows: number) {
  return `A1:${columnLetters(Math.max(columns, 1) - 1)}${rows}`;
}

/** `$A$1:$AB$205` */
function absoluteRange(columns: number, rows: number) {
  return sheetRange(columns, rows).replace(/[A-Z]+|\d+/g, '$$$&');
}

function columnLetters(index: number): string {
  const before = Math.floor(index / 26);
  const last = String.fromCharCode(65 + (index % 26));
  return before === 0 ? last : columnLetters(before - 1) + last;
}

/** Column widths, in characters. A time needs 19. */
const narrowest = 20;
const widest = 32;
/** The filter button covers part of the header cell. */
const buttonWidth = 4;

export interface WrittenSheet {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
}

export function sheetName(table: TableName, number: number): string {
  const title = table.replace(/^./, (first) => first.toUpperCase());
  return number === 1 ? title : `${title} ${number}`;
}

export function sheetPart(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const typeOf = (part: string) =>
  `application/vnd.openxmlformats-officedocument.spreadsheetml.${part}+xml`;

export function workbookParts(sheets: readonly WrittenSheet[]): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      'xl/workbook.xml': workbook(sheets),
      'xl/_rels/workbook.xml.rels': relationships([
        ...sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
        ['styles', 'styles.xml'],
      ]),
      'xl/styles.xml': styles,
      '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
      '[Content_Types].xml': contentTypes(sheets),
    }).map(([name, xml]) => [name, xmlDeclaration + xml]),
  );
}

function workbook(sheets: readonly WrittenSheet[]) {
  const listed = sheets.map(
    ({ name }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  // Excel finds the filter of a sheet by this name.
  const filters = sheets.map(
    ({ name, columns, rows }, index) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">'${escapeXml(name)}'!${absoluteRange(columns, rows + 1)}</definedName>`,
  );
  return [
    `<workbook xmlns="${spreadsheetNamespace}" xmlns:r="${officeNamespace}">`,
    `<bookViews><workbookView/></bookViews><sheets>${listed.join('')}</sheets>`,
    `<definedNames>${filters.join('')}</definedNames></workbook>`,
  ].join('');
}

function relationships(targets: readonly (readonly [type: string, target: string])[]) {
  const listed = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeNamespace}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${packageNamespace}/relationships">${listed.join('')}</Relationships>`;
}

function contentTypes(sheets: readonly WrittenSheet[]) {
  const overrides = [
    ['xl/workbook.xml', typeOf('sheet.main')],
    ['xl/styles.xml', typeOf('styles')],
    ...sheets.map((_, index) => [sheetPart(index + 1), typeOf('worksheet')]),
  ].map(([part, type]) => `<Override PartName="/${part}" ContentType="${type}"/>`);
  return [
    `<Types xmlns="${packageNamespace}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    `<Default Extension="xml" ContentType="application/xml"/>${overrides.join('')}</Types>`,
  ].join('');
}

/** In the order of `cellStyles`. 49 is Excel's text format, `@`. */
const cellFormats = [
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>',
];

const styles = [
  `<styleSheet xmlns="${spreadsheetNamespace}">`,
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>',
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>',
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
  '<fills count="2"><fill><patternFill patternType="none"/></fill>',
  '<fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
  `<cellXfs count="${cellFormats.length}">${cellFormats.join('')}</cellXfs>`,
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
  '</styleSheet>',
].join('');
