import { makeZip } from './make-zip.ts';

export interface MadeSheet {
  readonly name: string;
  readonly state?: 'hidden' | 'veryHidden';
  /** The XML inside `<sheetData>`. */
  readonly rows: string;
}

interface WorkbookParts {
  readonly sheets: readonly MadeSheet[];
  readonly sharedStrings?: string;
  /** Codes of number formats; a cell uses the first one with s="1". */
  readonly formats?: readonly string[];
  readonly is1904?: boolean;
}

const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const list = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';

/** The files of a workbook as Excel writes them, so that a test can give cells as XML. */
export function workbookParts(workbook: WorkbookParts): Record<string, string> {
  const { sheets, sharedStrings = '', formats = [], is1904 = false } = workbook;
  const numbered = sheets.map((sheet, index) => ({ ...sheet, number: index + 1 }));
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  return {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships ${list}>${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${spreadsheet}" xmlns:r="${office}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${numbered
      .map(
        ({ name, state, number }) =>
          `<sheet name="${name}" sheetId="${number}"${state ? ` state="${state}"` : ''} r:id="rId${number}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships ${list}>${numbered
      .map(({ number }) => relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`))
      .join(
        '',
      )}${relation('rIdA', 'styles', 'styles.xml')}${relation('rIdB', 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    ...Object.fromEntries(
      numbered.map(({ number, rows }) => [
        `xl/worksheets/sheet${number}.xml`,
        `<worksheet xmlns="${spreadsheet}"><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
    'xl/styles.xml': `<styleSheet xmlns="${spreadsheet}"><numFmts>${formats
      .map((code, index) => `<numFmt numFmtId="${170 + index}" formatCode="${code}"/>`)
      .join(
        '',
      )}</numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
      .map((_, index) => `<xf numFmtId="${170 + index}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${spreadsheet}">${sharedStrings}</sst>`,
  };
}

export function makeWorkbook(workbook: WorkbookParts): Buffer {
  return makeZip(workbookParts(workbook));
}

/** A row of text cells, as XML. */
export function textRow(line: number, ...cells: readonly string[]): string {
  const shown = cells.map(
    (cell, index) =>
      `<c r="${String.fromCharCode(65 + index)}${line}" t="inlineStr"><is><t>${cell}</t></is></c>`,
  );
  return `<row r="${line}">${shown.join('')}</row>`;
}
