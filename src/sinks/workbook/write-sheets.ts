import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import type { Table } from '../../records/tables.ts';
import { releaseMemory } from '../../runtime/memory/release-memory.ts';
import { encodeLines } from '../lines/encode-lines.ts';
import type { Deflater } from './deflate-into.ts';
import { maxSheetRows, openRowXml, sheetHead, sheetTail } from './sheet-xml.ts';
import { sheetName } from './workbook-parts.ts';
import type { PackedFacts } from './zip-file.ts';

/** A sheet whose rows are all written. */
export interface ClosedSheet {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  readonly packed: PackedFacts;
}

/** The sheets of one table: one, or as many as its records need. */
export interface SheetsOfTable {
  write(records: readonly FlatRecord[]): Promise<void>;
  /** Ends the last sheet. */
  close(): Promise<{ readonly sheets: readonly ClosedSheet[]; readonly cutCells: number }>;
}

export interface SheetLimits {
  /** Rows of a sheet, the one with the names included. */
  readonly rows: number;
  /** Bytes of its XML: beyond 4 GiB a zip needs a form that Excel may refuse. */
  readonly bytes: number;
}

const usualLimits: SheetLimits = { rows: maxSheetRows, bytes: 4_000_000_000 };

/**
 * Writes records as sheets. `open` is called for each of them, and `ended` when its last row is written.
 */
export function writeSheets(
  { table, columns }: { readonly table: Table; readonly columns: readonly Column[] },
  open: () => Promise<Deflater>,
  ended: (packed: PackedFacts) => Promise<void>,
  limits: SheetLimits = usualLimits,
): SheetsOfTable {
  const xml = openRowXml(columns);
  const sheets: ClosedSheet[] = [];
  let sheet: Deflater | undefined;
  /** The row of the names is the first. */
  let rows = 1;

  const begin = async (sample: readonly FlatRecord[]) => {
    rows = 1;
    sheet = await open();
    await sheet.write(Buffer.from(sheetHead(columns, sample)));
    return sheet;
  };
  const end = async (current: Deflater) => {
    await current.write(Buffer.from(sheetTail(columns.length, rows)));
    const packed = await current.end();
    const name = sheetName(table, sheets.length + 1);
    sheets.push({ name, columns: columns.length, rows: rows - 1, packed });
    sheet = undefined;
    await ended(packed);
  };
  return {
    async write(records) {
      for (let at = 0; at < records.length; ) {
        // The first records decide how wide the columns are.
        const current = sheet ?? (await begin(records.slice(at)));
        const portion = records.slice(at, at + limits.rows - rows);
        const { bytes } = encodeLines(portion, (record) => {
          rows += 1;
          return xml.of(record, rows);
        });
        await current.write(bytes);
        releaseMemory(bytes);
        at += portion.length;
        if (rows === limits.rows || current.plainBytes() >= limits.bytes) await end(current);
      }
    },
    async close() {
      // A table without records has a sheet, too.
      if (sheet || sheets.length === 0) await end(sheet ?? (await begin([])));
      return { sheets, cutCells: xml.cutCells() };
    },
  };
}
