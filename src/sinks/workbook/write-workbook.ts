import { crc32, createDeflateRaw } from 'node:zlib';
import { DossierError } from '../../errors.ts';
import type { FlatRecord } from '../../records/columns.ts';
import { type AtomicFile, openSpoolFile } from '../../runtime/files/atomic-file.ts';
import type { RecordWriter, TableColumns } from '../formats.ts';
import { compressStream, type LineBuffer, openLineBuffer } from '../lines.ts';
import {
  maxSheetColumns,
  maxSheetRows,
  openRowXml,
  sheetHead,
  sheetName,
  sheetPart,
  sheetTail,
  workbookParts,
} from './sheet-xml.ts';

const usualLimits = {
  /** Rows of a sheet, the one with the names included. */
  rows: maxSheetRows,
  /** Bytes of its XML: beyond 4 GiB a zip needs a form that Excel may refuse. */
  bytes: 4_000_000_000,
};

/**
 * Writes tables as the sheets of one workbook. In a zip one file follows the other, so the first table goes
 * straight into it, and the others wait on the disk, deflated.
 */
export function writeWorkbook(
  target: Pick<AtomicFile, 'path' | 'write' | 'seal'>,
  tables: readonly TableColumns[],
  limits = usualLimits,
): RecordWriter {
  for (const { columns } of tables) refuseTooWide(columns.length);
  const zip = openZipFile(target.write);
  const spools: Awaited<ReturnType<typeof openSpoolFile>>[] = [];
  let parts = 0;
  const beginPart = async () => {
    parts += 1;
    await zip.begin(sheetPart(parts));
  };
  const writers = tables.map((table, index) => {
    const spooled: typeof spools = [];
    const open = async () => {
      if (index === 0) {
        await beginPart();
        return deflateInto(zip.write);
      }
      const spool = await openSpoolFile(target.path);
      spools.push(spool);
      spooled.push(spool);
      return deflateInto(spool.write);
    };
    const ended = index === 0 ? zip.end : async () => {};
    return { spooled, sheets: writeSheets(table, open, ended, limits) };
  });
  const discard = async () => {
    for (const spool of spools.splice(0)) await spool.discard();
  };

  return {
    write: (record, table) => writers[table]?.sheets.write(record),
    async close() {
      const written: ClosedSheet[] = [];
      let cutCells = 0;
      for (const { sheets, spooled } of writers) {
        const closed = await sheets.close();
        cutCells += closed.cutCells;
        written.push(...closed.sheets);
        for (const [index, spool] of spooled.entries()) {
          await beginPart();
          for await (const chunk of spool.chunks()) await zip.write(chunk);
          await zip.end((closed.sheets[index] as ClosedSheet).packed);
        }
      }
      await discard();
      for (const [name, xml] of workbookParts(written)) {
        await zip.begin(name);
        const deflater = deflateInto(zip.write);
        await deflater.write(Buffer.from(xml));
        await zip.end(await deflater.end());
      }
      await zip.close();
      return {
        rows: written.reduce((sum, { rows }) => sum + rows, 0),
        sheets: written.map(({ name, rows }) => ({ name, rows })),
        ...(cutCells > 0 && { cutCells }),
        ...(await target.seal()),
      };
    },
    discard,
  };
}

/** A sheet whose rows are all written. */
interface ClosedSheet {
  readonly name: string;
  readonly columns: number;
  /** Records, without the row of the names. */
  readonly rows: number;
  readonly packed: PackedFacts;
}

/** Records of a sheet that are written together. The second limit is for huge cells. */
const heldRecords = 128;
const heldCharacters = 8 * 1_024 * 1_024;

type Deflater = ReturnType<typeof deflateInto>;

/** Writes records as one sheet, or as many as they need. `ended` is called when the last row of one is written. */
function writeSheets(
  { table, columns }: TableColumns,
  open: () => Promise<Deflater>,
  ended: (packed: PackedFacts) => Promise<void>,
  limits: typeof usualLimits,
) {
  const xml = openRowXml(columns);
  const sheets: ClosedSheet[] = [];
  let sheet: { readonly deflater: Deflater; readonly lines: LineBuffer } | undefined;
  /** The row of the names is the first. */
  let rows = 1;

  const begin = async (sample: readonly FlatRecord[]) => {
    rows = 1;
    const deflater = await open();
    sheet = { deflater, lines: openLineBuffer(deflater) };
    await sheet.lines.add(sheetHead(columns, sample));
    return sheet;
  };
  const end = async ({ deflater, lines }: NonNullable<typeof sheet>) => {
    await lines.add(sheetTail(columns.length, rows));
    await lines.flush();
    const packed = await deflater.end();
    const name = sheetName(table, sheets.length + 1);
    sheets.push({ name, columns: columns.length, rows: rows - 1, packed });
    sheet = undefined;
    await ended(packed);
  };
  let held: FlatRecord[] = [];
  let characters = 0;
  const writeHeld = async () => {
    const records = held;
    held = [];
    characters = 0;
    for (const [at, record] of records.entries()) {
      // The first records decide how wide the columns are.
      const current = sheet ?? (await begin(records.slice(at)));
      rows += 1;
      await current.lines.add(xml.of(record, rows));
      const isFull = rows === limits.rows || current.lines.bytes() >= limits.bytes;
      if (isFull) await end(current);
    }
  };
  return {
    write(record: FlatRecord) {
      held.push(record);
      for (const cell of record) if (typeof cell === 'string') characters += cell.length;
      const isEnough = held.length === heldRecords || characters >= heldCharacters;
      return isEnough ? writeHeld() : undefined;
    },
    /** Ends the last sheet. A table without records has a sheet, too. */
    async close() {
      await writeHeld();
      if (sheet || sheets.length === 0) await end(sheet ?? (await begin([])));
      return { sheets, cutCells: xml.cutCells() };
    },
  };
}

/** Half the time of the usual 6 (40 and 80 µs for a company), for files that are a seventh larger. */
const level = 3;

/** Deflates the plain bytes of a file in a zip, outside the main thread. */
function deflateInto(write: (packed: Uint8Array) => Promise<void>) {
  let crc = 0;
  let plainBytes = 0;
  let packedBytes = 0;
  const stream = compressStream(createDeflateRaw({ level }), async (packed) => {
    packedBytes += packed.length;
    await write(packed);
  });
  return {
    async write(plain: Uint8Array) {
      crc = crc32(plain, crc);
      plainBytes += plain.length;
      await stream.write(plain);
    },
    async end() {
      await stream.end();
      return { crc, packedBytes, plainBytes };
    },
  };
}

function refuseTooWide(columns: number): void {
  if (columns <= maxSheetColumns) return;
  throw new DossierError(
    'OUTPUT_TROUBLE',
    `a sheet has room for ${maxSheetColumns.toLocaleString('en')} columns, and the result has ${columns.toLocaleString('en')}; write another format, or fewer columns (output.columns)`,
  );
}

/** What the directory of a zip says of a file in it. */
export interface PackedFacts {
  readonly crc: number;
  readonly packedBytes: number;
  readonly plainBytes: number;
}

/** A zip that is written from its beginning to its end, one file after the other. */
export interface ZipFile {
  begin(name: string): Promise<void>;
  /** The next bytes of the file that was begun, deflated. */
  write(packed: Uint8Array): Promise<void>;
  end(facts: PackedFacts): Promise<void>;
  /** Writes the directory. */
  close(): Promise<void>;
}

/** Beyond it sizes need Zip64, some forms of which Excel takes for damage. */
const maxZipBytes = 0xffff_ffff;

const version = 20;
/** Sizes stand behind the file, as they are not known before it. */
const sizesFollow = 8;
const deflated = 8;
/** 1980-01-01, the first day of zip: the same content gives the same bytes on any day. */
const fixedDay = 0x21;

interface DirectoryEntry extends PackedFacts {
  readonly name: string;
  readonly headerAt: number;
}

function openZipFile(write: (bytes: Uint8Array) => Promise<void>): ZipFile {
  const entries: DirectoryEntry[] = [];
  let offset = 0;
  let begun = { name: '', headerAt: 0 };
  const pass = async (bytes: Uint8Array) => {
    offset += bytes.length;
    if (offset > maxZipBytes) {
      throw new DossierError(
        'OUTPUT_TROUBLE',
        'the workbook grows over 4 GB, which no spreadsheet opens; write another format, or fewer columns (output.columns)',
      );
    }
    await write(bytes);
  };
  return {
    async begin(name) {
      begun = { name, headerAt: offset };
      await pass(localHeader(name));
    },
    write: pass,
    async end(facts) {
      entries.push({ ...begun, ...facts });
      await pass(Buffer.concat([u32(0x08074b50), sizes(facts)]));
    },
    async close() {
      const directoryAt = offset;
      for (const entry of entries) await pass(directoryEntry(entry));
      const directoryBytes = offset - directoryAt;
      await pass(directoryEnd(entries.length, directoryBytes, directoryAt));
    },
  };
}

const u16 = (...values: readonly number[]) => integers(2, values);
const u32 = (...values: readonly number[]) => integers(4, values);

function integers(size: number, values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(size * values.length);
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * size, size);
  return bytes;
}

/** The fields that a file has in its header and in the directory alike. */
const commonFields = u16(version, sizesFollow, deflated, 0, fixedDay);

function localHeader(name: string): Buffer {
  // Checksum and sizes follow the file.
  const unknown = u32(0, 0, 0);
  return Buffer.concat([
    u32(0x04034b50),
    commonFields,
    unknown,
    u16(name.length, 0),
    Buffer.from(name),
  ]);
}

function directoryEntry({ name, headerAt, ...facts }: DirectoryEntry): Buffer {
  return Buffer.concat([
    u32(0x02014b50),
    u16(version),
    commonFields,
    sizes(facts),
    // No extra field, comment, disk number or attributes.
    u16(name.length, 0, 0, 0, 0),
    u32(0, headerAt),
    Buffer.from(name),
  ]);
}

function directoryEnd(entries: number, bytes: number, at: number): Buffer {
  return Buffer.concat([u32(0x06054b50), u16(0, 0, entries, entries), u32(bytes, at), u16(0)]);
}

function sizes({ crc, packedBytes, plainBytes }: PackedFacts): Buffer {
  return u32(crc, packedBytes, plainBytes);
}
