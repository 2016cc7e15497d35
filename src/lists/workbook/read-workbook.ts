import { posix } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { getHeapStatistics } from 'node:v8';
import { crc32, createInflateRaw } from 'node:zlib';
import { unreadable } from '../list-errors.ts';

const mebibyte = 1024 * 1024;
/** Spreadsheets compress to about a tenth; a ratio above 100 means a zip bomb. */
const maxCompressionRatio = 100;
const harmlessBytes = 8 * mebibyte;
/** Measured: a byte of shared strings needs 0.5 to 3.7 bytes of heap. */
const heapPerSharedByte = 4;
/** A longer text or tag means damage: Excel allows 32,767 characters in a cell. */
const longestText = mebibyte;

const otherKinds = {
  'xl/workbook.bin': 'a binary Excel workbook (.xlsb)',
  'content.xml': 'an OpenDocument spreadsheet (.ods)',
  'Index/Document.iwa': 'a Numbers document',
  'word/document.xml': 'a Word document',
  'ppt/presentation.xml': 'a presentation',
};
const saveAs = 'open it and save it as an Excel workbook (.xlsx) or as CSV';

export async function readWorkbook(name: string, zip: Buffer) {
  const parts = readZipDirectory(zip);
  const [, other] = Object.entries(otherKinds).find(([path]) => parts.has(path)) ?? [];
  if (other) throw unreadable(`${name} is ${other}, which Dossier does not read: ${saveAs}`);
  if (!parts.has('[Content_Types].xml')) {
    throw unreadable(
      `${name} is a zip file, not a list: unpack it and use the file inside instead`,
    );
  }
  for (const [path, { storedBytes, plainBytes }] of parts) {
    const isUndeclared = plainBytes === 0 && storedBytes > 2;
    const isBomb = plainBytes > harmlessBytes && plainBytes > storedBytes * maxCompressionRatio;
    if (isUndeclared || isBomb) {
      throw unreadable(
        `${name} may be a zip bomb: ${path} would unpack from ${storedBytes} to ${plainBytes || 'an unknown number of'} bytes. If the file is yours, ${saveAs}`,
      );
    }
  }

  const tagsOf = async (path = '') => {
    const part = parts.get(path);
    return part ? (await Array.fromAsync(readXml(zip, part))).flat() : [];
  };
  const relationsOf = async (path: string) => {
    const folder = posix.dirname(path);
    const tags = await tagsOf(posix.join(folder, '_rels', `${posix.basename(path)}.rels`));
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
  const tags = await tagsOf(path);
  /** Leaves out chart sheets, which have no cells. */
  const sheets = tags.flatMap(({ name: tag, isEnd, attributes }) => {
    const { name: title, state = 'visible' } = attributes;
    // Usually `r:id`, but some programs use a different prefix.
    const idKey = Object.keys(attributes).find((key) => key.endsWith(':id')) ?? '';
    const target = relations.find(({ id }) => id === attributes[idKey]);
    const part = parts.get(target?.path ?? '');
    if (tag !== 'sheet' || isEnd || !title || target?.type !== 'worksheet' || !part) return [];
    return [{ name: title, isVisible: state === 'visible', xml: () => readXml(zip, part) }];
  });
  if (sheets.length === 0) {
    throw unreadable(`${name} is a zip file without any sheet: ${saveAs}`);
  }
  const shared = parts.get(pathOf('sharedStrings') ?? '');
  if (shared && shared.plainBytes * heapPerSharedByte > getHeapStatistics().heap_size_limit) {
    throw unreadable(
      `${name} holds more text than fits into memory. Save it as CSV, which is read row by row`,
    );
  }
  return {
    sheets,
    texts: shared ? await readTexts(readXml(zip, shared)) : [],
    formats: readFormats(await tagsOf(pathOf('styles'))),
    /** Old Macs count dates from 1904 instead of 1900. */
    is1904: tags.some(({ attributes }) => /^(?:1|true)$/.test(attributes.date1904 ?? '')),
  };
}

async function readTexts(xml: AsyncIterable<XmlTag[]>) {
  const texts: string[] = [];
  let isSpoken = false;
  for await (const tags of xml) {
    for (const { name, isEnd, text } of tags) {
      if (name === 'si' && !isEnd) texts.push('');
      // `rPh` contains the pronunciation of the text.
      if (name === 'rPh') isSpoken = !isEnd;
      if (name === 't' && isEnd && !isSpoken) texts.push(texts.pop() + plainText(text));
    }
  }
  return texts;
}

const builtInDate = /^(?:1[4-9]|2[0-27-9]|3[0-6]|4[5-7]|5[0-8])$/;
/** Parts of a number format that show no date, unlike `[h]`, which means hours. */
const unrelatedToDates = /\[(?![hms])[^\]]*\]|[\\_*].|"[^"]*"/gi;
const zerosOnly = /^(?:[0 -]|\\.|"[^"]*")+$/;

function readFormats(tags: readonly XmlTag[]) {
  const codes = new Map<string, string>();
  for (const { attributes } of tags) {
    const { numFmtId, formatCode } = attributes;
    if (numFmtId && formatCode) codes.set(numFmtId, formatCode);
  }
  // `cellStyleXfs` has `xf` tags too, which are not cell formats.
  const start = tags.findIndex(({ name }) => name === 'cellXfs');
  const end = tags.findLastIndex(({ name }) => name === 'cellXfs');
  const formats = tags.slice(start, end).filter(({ name, isEnd }) => name === 'xf' && !isEnd);
  return formats.map(({ attributes: { numFmtId = '' } }) => {
    const code = codes.get(numFmtId);
    return {
      isDate: code
        ? /[ymdhs]/i.test(code.replaceAll(unrelatedToDates, ''))
        : builtInDate.test(numFmtId),
      // Company numbers need the leading zeros that `000 000 000` adds for display.
      minDigits: code && zerosOnly.test(code) ? code.replaceAll(/\\.|"[^"]*"|[ -]/g, '').length : 0,
    };
  });
}

interface XmlTag {
  /** `x:sheet → sheet` */
  readonly name: string;
  /** An empty tag such as `<c/>` gives a start and an end. */
  readonly isEnd: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

async function* readXml(zip: Buffer, part: ZipPart): AsyncGenerator<XmlTag[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let before = '';
  for await (const chunk of unpack(zip, part)) {
    rest += decoder.write(chunk);
    const read = readTags(rest, before);
    before = read.before;
    rest = rest.slice(read.end);
    yield read.tags;
    if (rest.length > longestText) break;
  }
  if (rest.trim() !== '' || rest.length > longestText) throw new Error('a part is not XML');
}

const noAttributes = {};

/** A regular expression takes twice as long on a large sheet. */
function readTags(xml: string, textBefore: string) {
  const tags: XmlTag[] = [];
  let before = textBefore;
  let end = 0;
  let start = xml.indexOf('<');
  let close = xml.indexOf('>', start);
  while (start !== -1 && close !== -1) {
    const sign = xml[start + 1];
    const isEmpty = xml[close - 1] === '/';
    const isEnd = sign === '/';
    const inside = xml.slice(isEnd ? start + 2 : start + 1, isEmpty ? close - 1 : close);
    const text = before + xml.slice(end, start);
    if (sign === '!' || sign === '?') {
      const isLiteral = inside.startsWith('![CDATA[');
      const ending = isLiteral ? ']]>' : inside.startsWith('!--') ? '-->' : '>';
      const endingAt = xml.indexOf(ending, start + 4);
      if (endingAt === -1) break;
      const literal = isLiteral ? xml.slice(start + 9, endingAt).replaceAll('&', '&amp;') : '';
      before = text + literal;
      close = endingAt + ending.length - 1;
    } else {
      const space = inside.search(/\s/);
      const prefixed = space === -1 ? inside : inside.slice(0, space);
      const name = prefixed.slice(prefixed.indexOf(':') + 1);
      const attributes = space === -1 ? noAttributes : attributesOf(inside, space);
      if (!attributes) {
        close = xml.indexOf('>', close + 1);
        continue;
      }
      tags.push({ name, isEnd, attributes, text });
      if (isEmpty) tags.push({ name, isEnd: true, attributes: noAttributes, text: '' });
      before = '';
    }
    end = close + 1;
    start = xml.indexOf('<', end);
    close = xml.indexOf('>', start);
  }
  return { tags, end, before };
}

/** Undefined if the tag is incomplete, because its `>` was inside an attribute value. */
function attributesOf(tag: string, start: number) {
  const attributes: Record<string, string> = {};
  const isEscaped = tag.includes('&');
  let at = start;
  for (;;) {
    const equals = tag.indexOf('=', at);
    if (equals === -1) return attributes;
    let open = equals + 1;
    while (tag[open] === ' ') open += 1;
    const end = tag.indexOf(tag[open] === "'" ? "'" : '"', open + 1);
    if (end === -1) return undefined;
    const value = tag.slice(open + 1, end);
    attributes[tag.slice(at, equals).trim()] = isEscaped ? decodeEntities(value) : value;
    at = end + 1;
  }
}

/** Excel escapes control characters as their code, such as `_x000D_`. */
export function plainText(text: string): string {
  const decoded = decodeEntities(text);
  if (!decoded.includes('_')) return decoded;
  return decoded.replaceAll(/_x([0-9a-f]{4})_/gi, (_, code) => fromCode(code, 16));
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function decodeEntities(text: string) {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x?)?(\w+);/gi, (whole, sign, code) =>
    sign ? fromCode(code, sign === '#' ? 10 : 16) : (entities[code] ?? whole),
  );
}

function fromCode(code: string, base: number) {
  return String.fromCodePoint(Number.parseInt(code, base));
}

type ZipPart = NonNullable<ReturnType<ReturnType<typeof readZipDirectory>['get']>>;

const endBytes = 22;
const entryBytes = 46;
const headerBytes = 30;
const chunkSize = 64 * 1024;
const inZip64Field = 0xffff_ffff;

function readZipDirectory(zip: Buffer) {
  const endAt = zip.lastIndexOf('PK\x05\x06', zip.length - endBytes, 'latin1');
  if (endAt === -1) throw new Error('it is cut short');
  let at = zip.readUInt32LE(endAt + 16);
  const entries = Array.from({ length: zip.readUInt16LE(endAt + 10) }, () => {
    const nameAt = at + entryBytes;
    const nameEnd = nameAt + zip.readUInt16LE(at + 28);
    const extraEnd = nameEnd + zip.readUInt16LE(at + 30);
    // Same order as in the Zip64 extra field.
    const sizes = [24, 20, 42].map((field) => zip.readUInt32LE(at + field));
    const [plainBytes = 0, storedBytes = 0, headerAt = 0] = sizes.includes(inZip64Field)
      ? readZip64Sizes(zip.subarray(nameEnd, extraEnd), sizes)
      : sizes;
    const isDeflated = zip.readUInt16LE(at + 10) === 8;
    const crc = zip.readUInt32LE(at + 16);
    at = extraEnd + zip.readUInt16LE(at + 32);
    const path = zip.toString('utf8', nameAt, nameEnd);
    return [path, { isDeflated, crc, storedBytes, plainBytes, headerAt }] as const;
  });
  return new Map(entries);
}

function readZip64Sizes(extra: Buffer, sizes: readonly number[]) {
  let at = 0;
  while (extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  at -= 4;
  return sizes.map((size) => {
    if (size !== inZip64Field) return size;
    at += 8;
    return Number(extra.readBigUInt64LE(at));
  });
}

async function* unpack(zip: Buffer, part: ZipPart): AsyncGenerator<Buffer> {
  const { headerAt, isDeflated, storedBytes, plainBytes } = part;
  const names = zip.readUInt16LE(headerAt + 26) + zip.readUInt16LE(headerAt + 28);
  const start = headerAt + headerBytes + names;
  const stored = zip.subarray(start, start + storedBytes);
  let size = 0;
  let crc = 0;
  for await (const chunk of isDeflated ? createInflateRaw({ chunkSize }).end(stored) : [stored]) {
    size += chunk.length;
    if (size > plainBytes) throw new Error(`a part exceeds its limit of ${plainBytes} bytes`);
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (crc !== part.crc) throw new Error('the checksum of a part is wrong');
}
