import type { Table } from '../../records/tables.ts';
import { escapeXml } from './cell-xml.ts';
import { absoluteRange, spreadsheetNamespace, xmlDeclaration } from './sheet-xml.ts';

/** A sheet that is written. */
interface WrittenSheet {
  readonly name: string;
  readonly columns: number;
  /** Records, without the row of the names. */
  readonly rows: number;
}

const titles: Readonly<Record<Table, string>> = {
  companies: 'Companies',
  people: 'People',
  rejects: 'Rejects',
  changes: 'Changes',
};

/** `Companies`, and `Companies 2` for the rows that the first has no room for. */
export function sheetName(table: Table, number: number): string {
  return number === 1 ? titles[table] : `${titles[table]} ${number}`;
}

export function sheetPart(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const typeOf = (part: string) =>
  `application/vnd.openxmlformats-officedocument.spreadsheetml.${part}+xml`;

/** The files of a workbook beside its sheets, by name. */
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

function workbook(sheets: readonly WrittenSheet[]): string {
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

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const listed = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeNamespace}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${packageNamespace}/relationships">${listed.join('')}</Relationships>`;
}

function contentTypes(sheets: readonly WrittenSheet[]): string {
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

/** In the order of `cellStyles`: plain, text (49 is the format `@`), a time, bold text. */
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
