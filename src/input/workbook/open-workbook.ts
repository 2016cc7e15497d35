import { posix } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { inflateRawSync, constants as zlib } from 'node:zlib';
import { DossierError } from '../../errors.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import { indexOfColumn, type SheetChoice } from '../input-row.ts';
import { unreadable } from '../list-errors.ts';

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
export function openWorkbook(name: string, zip: Buffer, wanted: string | undefined) {
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
  const { numberFormats, ...described } = describeWorkbook(zip, parts);
  const sheets = described.sheets();
  if (sheets.length === 0) {
    throw unreadable(`${name} is a zip file without any sheet: ${saveAs}`);
  }
  const sheet = chooseSheet(name, sheets, wanted);
  for (const part of entries) refuseZipBomb(name, part);
  refuseTooMuchText(name, parts);
  const others = sheets.filter(({ isVisible, index }) => isVisible && index !== sheet.index);
  const choice: SheetChoice = { name: sheet.name, others: others.map((other) => other.name) };
  return { sheet, choice, numberFormats };
}

function chooseSheet(name: string, sheets: readonly WorkbookSheet[], wanted: string | undefined) {
  const first = sheets.find(({ isVisible }) => isVisible) ?? sheets[0];
  if (wanted === undefined && first) return first;
  const names = sheets.map((sheet) => sheet.name);
  const found = sheets[indexOfColumn(names, wanted ?? '')];
  if (found) return found;
  const nearest = nearestWord(wanted ?? '', names);
  const hint = nearest === undefined ? '.' : `; did you mean ${JSON.stringify(nearest)}?`;
  const listed = sheets.map(
    (sheet) => `${JSON.stringify(sheet.name)}${sheet.isVisible ? '' : ' (hidden)'}`,
  );
  throw new DossierError(
    'COLUMNS_UNCLEAR',
    `${name} has no sheet ${JSON.stringify(wanted)}${hint} It has: ${listed.join(', ')}`,
  );
}

/** Checks declared sizes only: the xlsx reader refuses a part that unpacks to more. */
function refuseZipBomb(name: string, { name: part, storedBytes, plainBytes }: ZipEntry) {
  const isUndeclared = plainBytes === 0 && storedBytes > 2;
  const isBomb = plainBytes > harmlessBytes && plainBytes > storedBytes * maxCompressionRatio;
  if (!isUndeclared && !isBomb) return;
  throw unreadable(
    `${name} cannot be trusted: ${part} would unpack ${storedBytes} bytes to ${plainBytes || 'nobody knows how many'}. If it is yours, ${saveAs}`,
  );
}

function refuseTooMuchText(name: string, parts: ReadonlyMap<string, ZipEntry>) {
  const shared = [...parts.values()].find((part) => /(?:^|\/)sharedStrings\.xml$/i.test(part.name));
  const needed = (shared?.plainBytes ?? 0) * heapPerSharedByte;
  const { heap_size_limit: available } = getHeapStatistics();
  if (needed <= available) return;
  throw unreadable(
    `${name} holds more text than fits into memory: about ${megabytes(needed)} would be needed and ${megabytes(available)} are to be had. ` +
      'Save it as CSV, which is read row by row',
  );
}

function megabytes(bytes: number) {
  return `${Math.round(bytes / mebibyte).toLocaleString('en')} MB`;
}

export type WorkbookSheet = ReturnType<ReturnType<typeof describeWorkbook>['sheets']>[number];

/** Reads what a workbook says of its sheets and number formats. */
function describeWorkbook(zip: Buffer, parts: ReadonlyMap<string, ZipEntry>) {
  function* readTags(part: ZipEntry | undefined) {
    if (part) yield* readXmlTags(readZipText(zip, part, Number.POSITIVE_INFINITY));
  }

  /** The parts that the part called `name` refers to, by the ids that it uses for them. */
  function targetsOf(name: string) {
    const folder = posix.dirname(name);
    const list = parts.get(posix.join(folder, '_rels', `${posix.basename(name)}.rels`));
    const targets = new Map<string, { type: string; path: string }>();
    for (const { name: tag, attributes } of readTags(list)) {
      if (tag !== 'Relationship') continue;
      const target = attributes.get('Target') ?? '';
      // A target is absolute in the zip, or relative to the folder of the part.
      const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      targets.set(attributes.get('Id') ?? '', { type: attributes.get('Type') ?? '', path });
    }
    return targets;
  }
  const pathOf = (targets: ReturnType<typeof targetsOf>, kind: string) =>
    [...targets.values()].find(({ type }) => type.endsWith(kind))?.path;

  const workbook = parts.get(pathOf(targetsOf(''), '/officeDocument') ?? 'xl/workbook.xml');
  const targets: ReturnType<typeof targetsOf> = workbook ? targetsOf(workbook.name) : new Map();
  return {
    /** The sheets with cells, in the order of their tabs. A chart sheet has no cells. */
    sheets() {
      const tabs = [...readTags(workbook)].flatMap(({ name: tag, attributes }) => {
        const name = attributes.get('name');
        // Some programs declare another prefix than `r:` for the namespace of relationships.
        const id = [...attributes].find(([key]) => key.endsWith(':id'))?.[1];
        const isVisible = (attributes.get('state') ?? 'visible') === 'visible';
        return tag === 'sheet' && name && id ? [{ name, isVisible, target: targets.get(id) }] : [];
      });
      // `index` counts all tabs, and `part` is the file in the zip that holds the cells.
      return tabs.flatMap(({ name, isVisible, target }, index) => {
        const part = parts.get(target?.path ?? '');
        const hasCells = part && target?.type.endsWith('/worksheet');
        return hasCells ? [{ name, isVisible, index, part }] : [];
      });
    },
    /** The number formats, by the index that a cell gives in its attribute `s`. */
    numberFormats() {
      const codes = new Map<string, string>();
      const formats: string[] = [];
      let isCellFormat = false;
      for (const { name, attributes } of readTags(parts.get(pathOf(targets, '/styles') ?? ''))) {
        const id = attributes.get('numFmtId') ?? '';
        if (name === 'numFmt') codes.set(id, attributes.get('formatCode') ?? '');
        // `xf` stands in two lists. Cells refer to cellXfs only; cellStyleXfs holds named styles.
        if (/^cell(?:Xfs|StyleXfs|Styles)$/.test(name)) isCellFormat = name === 'cellXfs';
        if (name === 'xf' && isCellFormat) formats.push(codes.get(id) ?? '');
      }
      return formats;
    },
  };
}

const openTag =
  /<(?:[\w.-]+:)?(?<name>[A-Za-z][\w.-]*)(?<attributes>(?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const attribute = /(?<key>[\w.:-]+)\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')/g;
const entity = /&(?:#x(?<hex>[0-9a-f]{1,6})|#(?<decimal>\d{1,7})|(?<name>amp|lt|gt|quot|apos));/gi;
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/**
 * Yields the opening tags of an XML part of a workbook in order. The parts that are read here keep
 * all their facts in attributes, so text and nesting are ignored and no XML parser is needed. Names
 * come without a namespace prefix: `x:sheet → sheet`.
 */
export function* readXmlTags(xml: string) {
  for (const { groups } of xml.matchAll(openTag)) {
    const attributes = new Map<string, string>();
    for (const found of (groups?.attributes ?? '').matchAll(attribute)) {
      const { key = '', double, single } = found.groups ?? {};
      attributes.set(key, decodeEntities(double ?? single ?? ''));
    }
    yield { name: groups?.name ?? '', attributes };
  }
}

function decodeEntities(text: string) {
  return text.replaceAll(entity, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A file inside a zip, as the central directory describes it. */
interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly storedBytes: number;
  /** Size after unpacking, as declared; it may be wrong. */
  readonly plainBytes: number;
  /** Offset of the local header; the stored bytes follow it. */
  readonly headerAt: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const headerSignature = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const headerBytes = 30;
const maxCommentBytes = 0xffff;
/** A size of 32 bits with this value means that the real one is in the Zip64 extra field. */
const inZip64Field = 0xffff_ffff;
const zip64FieldId = 1;

/** The files of a zip; undefined when the bytes are no zip or are cut short. */
export function readZipDirectory(zip: Buffer): ZipEntry[] | undefined {
  const endAt = findEnd(zip);
  if (endAt === -1) return undefined;
  const count = zip.readUInt16LE(endAt + 10);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(endAt + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > zip.length || zip.readUInt32LE(at) !== entrySignature) return undefined;
    const nameEnd = at + entryBytes + zip.readUInt16LE(at + 28);
    const extraEnd = nameEnd + zip.readUInt16LE(at + 30);
    // The Zip64 extra field holds the three values in this order.
    const sizes = [24, 20, 42].map((field) => zip.readUInt32LE(at + field));
    const [plainBytes = 0, storedBytes = 0, headerAt = 0] = sizes.includes(inZip64Field)
      ? readZip64Sizes(zip.subarray(nameEnd, extraEnd), sizes)
      : sizes;
    const name = zip.toString('utf8', at + entryBytes, nameEnd);
    const isDeflated = zip.readUInt16LE(at + 10) === 8;
    entries.push({ name, isDeflated, storedBytes, plainBytes, headerAt });
    at = extraEnd + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * Unpacks the beginning of a file in a zip: as much text as `maxStoredBytes` of its stored bytes
 * give. Empty when it cannot be unpacked.
 */
export function readZipText(zip: Buffer, entry: ZipEntry, maxStoredBytes: number): string {
  const { headerAt } = entry;
  if (headerAt + headerBytes > zip.length || zip.readUInt32LE(headerAt) !== headerSignature) {
    return '';
  }
  const extra = zip.readUInt16LE(headerAt + 26) + zip.readUInt16LE(headerAt + 28);
  const start = headerAt + headerBytes + extra;
  const stored = zip.subarray(start, start + Math.min(entry.storedBytes, maxStoredBytes));
  if (!entry.isDeflated) return stored.toString('utf8');
  try {
    // The stored bytes may be cut off in the middle: without a sync flush that is an error.
    const options = { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: maxPlainBytes };
    return inflateRawSync(stored, options).toString('utf8');
  } catch {
    return '';
  }
}

const maxPlainBytes = 32 * 1024 * 1024;

/** Some programs write Zip64 sizes even for small files. */
function readZip64Sizes(extra: Buffer, sizes: readonly number[]): number[] {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== zip64FieldId) {
    at += 4 + extra.readUInt16LE(at + 2);
  }
  at += 4;
  return sizes.map((size) => {
    if (size !== inZip64Field || at + 8 > extra.length) return size;
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  });
}

function findEnd(zip: Buffer) {
  const lowest = Math.max(0, zip.length - endBytes - maxCommentBytes);
  for (let at = zip.length - endBytes; at >= lowest; at -= 1) {
    if (zip.readUInt32LE(at) === endSignature) return at;
  }
  return -1;
}
