import { posix } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { unreadable } from '../list-errors.ts';
import { type OnTag, readZip, type XmlAttributes } from '../zip-xml.ts';

const mebibyte = 1024 * 1024;
/** Spreadsheets compress to about a tenth; a ratio above 100 means a zip bomb. */
const maxCompressionRatio = 100;
const harmlessBytes = 8 * mebibyte;
/** Measured: a byte of shared strings needs 0.5 to 3.7 bytes of heap. */
const heapPerSharedByte = 4;

const otherKinds = {
  'xl/workbook.bin': 'a binary Excel workbook (.xlsb)',
  'content.xml': 'an OpenDocument spreadsheet (.ods)',
  'Index/Document.iwa': 'a Numbers document',
  'word/document.xml': 'a Word document',
  'ppt/presentation.xml': 'a presentation',
};
const saveAs = 'open it and save it as an Excel workbook (.xlsx) or as CSV';

export async function readWorkbook(name: string, fd: number) {
  const parts = await readZip(fd);
  const [, other] = Object.entries(otherKinds).find(([path]) => parts.has(path)) ?? [];
  if (other) throw unreadable(`${name} is ${other}, which Dossier does not read: ${saveAs}`);
  if (!parts.has('[Content_Types].xml')) {
    throw unreadable(
      `${name} is a zip file, not a list: unpack it and use the file inside instead`,
    );
  }
  for (const [path, { storedBytes, plainBytes }] of parts) {
    if (plainBytes > harmlessBytes && plainBytes > storedBytes * maxCompressionRatio) {
      throw unreadable(
        `${name} may be a zip bomb: ${path} would unpack from ${storedBytes} to ${plainBytes} bytes. If the file is yours, ${saveAs}`,
      );
    }
  }

  const readPart = async (path: string | undefined, onTag: OnTag) => {
    const part = parts.get(path ?? '');
    if (part) await Array.fromAsync(part.read(onTag));
  };
  const startTagsOf = async (path: string) => {
    const tags: { name: string; attributes: XmlAttributes }[] = [];
    await readPart(path, (name, isEnd, attributes) => {
      if (!isEnd) tags.push({ name, attributes });
    });
    return tags;
  };
  const relationsOf = async (path: string) => {
    const folder = posix.dirname(path);
    const tags = await startTagsOf(posix.join(folder, '_rels', `${posix.basename(path)}.rels`));
    const relations = tags.map(({ attributes: { Id, Type = '', Target = '' } }) => ({
      id: Id,
      type: Type.slice(Type.lastIndexOf('/') + 1),
      path: posix.resolve('/', folder, Target).slice(1),
    }));
    return {
      relations,
      pathOf: (kind: string) => relations.find(({ type }) => type === kind)?.path,
    };
  };

  const root = await relationsOf('');
  const path = root.pathOf('officeDocument') ?? 'xl/workbook.xml';
  const { relations, pathOf } = await relationsOf(path);
  const tags = await startTagsOf(path);
  /** Leaves out chart sheets, which have no cells. */
  const sheets = tags.flatMap(({ name: tag, attributes }) => {
    const { name: title, state = 'visible' } = attributes;
    // Usually `r:id`, but some programs use a different prefix.
    const idKey = Object.keys(attributes).find((key) => key.endsWith(':id')) ?? '';
    const target = relations.find(({ id }) => id === attributes[idKey]);
    const part = parts.get(target?.path ?? '');
    if (tag !== 'sheet' || !title || target?.type !== 'worksheet' || !part) return [];
    return [{ name: title, isVisible: state === 'visible', read: part.read }];
  });
  if (sheets.length === 0) {
    throw unreadable(`${name} is a zip file without any sheet: ${saveAs}`);
  }
  const textsAt = pathOf('sharedStrings');
  const textBytes = parts.get(textsAt ?? '')?.plainBytes ?? 0;
  if (textBytes * heapPerSharedByte > getHeapStatistics().heap_size_limit) {
    throw unreadable(
      `${name} holds more text than fits into memory. Save it as CSV, which is read row by row`,
    );
  }
  const texts: string[] = [];
  await readPart(textsAt, readTexts(texts));
  const formats: CellFormat[] = [];
  await readPart(pathOf('styles'), readFormats(formats));
  return {
    sheets,
    texts,
    formats,
    /** Old Macs count dates from 1904 instead of 1900. */
    is1904: tags.some(({ attributes }) => /^(?:1|true)$/.test(attributes.date1904 ?? '')),
  };
}

function readTexts(texts: string[]): OnTag {
  let isSpoken = false;
  return (name, isEnd, _, text) => {
    if (name === 'si' && !isEnd) texts.push('');
    // `rPh` contains the pronunciation of the text.
    if (name === 'rPh') isSpoken = !isEnd;
    if (name === 't' && isEnd && !isSpoken) texts.push(texts.pop() + plainText(text));
  };
}

interface CellFormat {
  readonly isDate: boolean;
  readonly minDigits: number;
}

const builtInDate = /^(?:1[4-9]|2[0-27-9]|3[0-6]|4[5-7]|5[0-8])$/;
/** Parts of a number format that show no date, unlike `[h]`, which means hours. */
const unrelatedToDates = /\[(?![hms])[^\]]*\]|[\\_*].|"[^"]*"/gi;
const zerosOnly = /^(?:[0 -]|\\.|"[^"]*")+$/;

function readFormats(formats: CellFormat[]): OnTag {
  const codes = new Map<string, string>();
  let isInside = false;
  return (name, isEnd, { numFmtId = '', formatCode }) => {
    if (formatCode) codes.set(numFmtId, formatCode);
    // `cellStyleXfs` has `xf` tags too, which are not cell formats.
    if (name === 'cellXfs') isInside = !isEnd;
    if (!isInside || name !== 'xf' || isEnd) return;
    const code = codes.get(numFmtId);
    formats.push({
      isDate: code
        ? /[ymdhs]/i.test(code.replaceAll(unrelatedToDates, ''))
        : builtInDate.test(numFmtId),
      // Company numbers need the leading zeros that `000 000 000` adds for display.
      minDigits: code && zerosOnly.test(code) ? code.replaceAll(/\\.|"[^"]*"|[ -]/g, '').length : 0,
    });
  };
}

/** Excel escapes control characters as their code, such as `_x000D_`. */
export function plainText(text: string): string {
  if (!text.includes('_')) return text;
  return text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
