import { crc32, createDeflateRaw } from 'node:zlib';
import { DossierError } from '../../errors.ts';
import type { FlatRecord } from '../../records/columns/columns.ts';
import { type AtomicFile, openSpoolFile } from '../../runtime/files/atomic-file.ts';
import { compressStream } from '../files/compression.ts';
import type { RecordWriter, TableColumns } from '../files/formats.ts';
import { type LineBuffer, openLineBuffer } from '../lines/line-buffer.ts';
import { maxSheetColumns, maxSheetRows, openRowXml, sheetHead, sheetTail } from './sheet-xml.ts';
import { sheetName, sheetPart, workbookParts } from './workbook-parts.ts';
import { openZipFile, type PackedFacts } from './zip-file.ts';

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
