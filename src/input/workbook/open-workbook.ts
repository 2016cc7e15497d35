import { getHeapStatistics } from 'node:v8';
import { DossierError } from '../../errors.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import type { SheetChoice } from '../sheet-choice.ts';
import { listSheets, type WorkbookSheet } from './describe-workbook.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

export interface Workbook {
  readonly parts: ReadonlyMap<string, ZipEntry>;
  readonly sheet: WorkbookSheet;
  readonly choice: SheetChoice;
}

const mebibyte = 1024 * 1024;
/** Spreadsheets compress to about a tenth; a part that compresses a hundredfold is a zip bomb. */
const maxCompressionRatio = 100;
/** Parts that unpack to no more than this are harmless at any compression ratio. */
const harmlessBytes = 8 * mebibyte;
/** Measured: each byte of the shared strings part takes this many bytes of heap once it is read. */
const heapPerSharedByte = 24;

/** Other zip files that users take for a workbook, each with a part that only its kind has. */
const otherKinds: readonly { part: string; what: string }[] = [
  { part: 'xl/workbook.bin', what: 'a binary Excel workbook (.xlsb)' },
  { part: 'content.xml', what: 'an OpenDocument spreadsheet (.ods)' },
  { part: 'Index/Document.iwa', what: 'a Numbers document' },
  { part: 'word/document.xml', what: 'a Word document' },
  { part: 'ppt/presentation.xml', what: 'a presentation' },
];
const saveAs = 'open it and save it as an Excel workbook (.xlsx) or as CSV';

/** Checks the bytes of a workbook before its cells are read, and chooses the sheet. */
export function openWorkbook(name: string, zip: Buffer, wanted: string | undefined): Workbook {
  const entries = readZipDirectory(zip);
  if (!entries) {
    throw unreadable(
      `${name} begins like an Excel workbook but is damaged or cut short: get it once more, or ${saveAs}`,
    );
  }
  const parts = new Map(entries.map((entry) => [entry.name, entry]));
  const other = otherKinds.find(({ part }) => parts.has(part));
  if (other) throw unreadable(`${name} is ${other.what}, which Dossier does not read: ${saveAs}`);
  if (!parts.has('[Content_Types].xml')) {
    throw unreadable(`${name} is a zip file, not a list: unpack it and name the file inside`);
  }
  const sheets = listSheets(zip, parts);
  if (sheets.length === 0) {
    throw unreadable(`${name} is a zip file without any sheet: ${saveAs}`);
  }
  const sheet = chooseSheet(name, sheets, wanted);
  for (const part of entries) refuseZipBomb(name, part);
  refuseTooMuchText(name, parts);
  const others = sheets.filter(({ isVisible, index }) => isVisible && index !== sheet.index);
  const choice = { name: sheet.name, others: others.map((other) => other.name) };
  return { parts, sheet, choice };
}

function chooseSheet(
  name: string,
  sheets: readonly WorkbookSheet[],
  wanted: string | undefined,
): WorkbookSheet {
  const first = sheets.find(({ isVisible }) => isVisible) ?? sheets[0];
  if (wanted === undefined && first) return first;
  const fold = (text: string) => text.trim().toLowerCase();
  const found =
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => fold(sheet.name) === fold(wanted ?? ''));
  if (found) return found;
  const names = sheets.map((sheet) => sheet.name);
  const nearest = nearestWord(wanted ?? '', names);
  const hint = nearest === undefined ? '.' : `; did you mean ${JSON.stringify(nearest)}?`;
  const listed = sheets.map(
    (sheet) => `${JSON.stringify(sheet.name)}${sheet.isVisible ? '' : ' (hidden)'}`,
  );
  throw new DossierError(
    'SHEET_UNKNOWN',
    `${name} has no sheet ${JSON.stringify(wanted)}${hint} It has: ${listed.join(', ')}`,
  );
}

/** Checks declared sizes only: the xlsx reader refuses a part that unpacks to more. */
function refuseZipBomb(name: string, { name: part, storedBytes, plainBytes }: ZipEntry): void {
  const isUndeclared = plainBytes === 0 && storedBytes > 2;
  const isBomb = plainBytes > harmlessBytes && plainBytes > storedBytes * maxCompressionRatio;
  if (!isUndeclared && !isBomb) return;
  throw unreadable(
    `${name} cannot be trusted: ${part} would unpack ${storedBytes} bytes to ${plainBytes || 'nobody knows how many'}. If it is yours, ${saveAs}`,
  );
}

function refuseTooMuchText(name: string, parts: ReadonlyMap<string, ZipEntry>): void {
  const shared = [...parts.values()].find((part) => /(?:^|\/)sharedStrings\.xml$/i.test(part.name));
  const needed = (shared?.plainBytes ?? 0) * heapPerSharedByte;
  const { heap_size_limit: available } = getHeapStatistics();
  if (needed <= available) return;
  throw unreadable(
    `${name} holds more text than fits into memory: about ${megabytes(needed)} would be needed and ${megabytes(available)} are to be had. ` +
      'Save it as CSV, which is read row by row',
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte).toLocaleString('en')} MB`;
}

function unreadable(message: string): DossierError {
  return new DossierError('INPUT_UNREADABLE', message);
}
