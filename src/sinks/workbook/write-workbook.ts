import { DossierError } from '../../errors.ts';
import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import type { Table } from '../../records/tables.ts';
import { openSpoolFile, type SpoolFile } from '../../runtime/files/spool-file.ts';
import type { ByteTarget, RecordWriter } from '../files/record-writer.ts';
import { deflateInto } from './deflate-into.ts';
import { maxSheetColumns } from './sheet-xml.ts';
import { sheetPart, type WrittenSheet, workbookParts } from './workbook-parts.ts';
import { type SheetLimits, type SheetsOfTable, writeSheets } from './write-sheets.ts';
import { openZipFile } from './zip-file.ts';

/** A table of a workbook. */
export interface SheetTable {
  readonly table: Table;
  readonly columns: readonly Column[];
}

/**
 * Writes several tables as the sheets of one workbook; records come for each of them, in their order.
 * In a zip one file follows the other, so the first table goes straight into it, and the others wait
 * on the disk, deflated.
 */
export function writeWorkbook(
  target: ByteTarget & { readonly path: string },
  tables: readonly SheetTable[],
  limits?: SheetLimits,
): RecordWriter<readonly (readonly FlatRecord[])[]> {
  for (const { columns } of tables) refuseTooWide(columns);
  const zip = openZipFile(target.write);
  const spools: SpoolFile[] = [];
  let parts = 0;
  const beginPart = async () => {
    parts += 1;
    await zip.begin(sheetPart(parts));
  };
  const writers = tables.map((table, index) => {
    if (index === 0) {
      const open = async () => {
        await beginPart();
        return deflateInto(zip.write);
      };
      return { spooled: [], ...writeSheets(table, open, zip.end, limits) };
    }
    const spooled: SpoolFile[] = [];
    const open = async () => {
      const spool = await openSpoolFile(target.path);
      spools.push(spool);
      spooled.push(spool);
      return deflateInto(spool.write);
    };
    return { spooled, ...writeSheets(table, open, async () => {}, limits) };
  });
  const discard = async () => {
    for (const spool of spools.splice(0)) await spool.discard();
  };

  /** Ends the sheets of a table, and brings those that wait on the disk into the zip. */
  async function closeTable({ close, spooled }: SheetsOfTable & { spooled: readonly SpoolFile[] }) {
    const { sheets, cutCells } = await close();
    for (const [index, spool] of spooled.entries()) {
      const packed = sheets[index]?.packed;
      if (!packed) throw new Error('a sheet that waits was not ended');
      await beginPart();
      for await (const chunk of spool.chunks()) await zip.write(chunk);
      await zip.end(packed);
    }
    return { sheets, cutCells };
  }

  return {
    async write(records) {
      for (const [index, writer] of writers.entries()) await writer.write(records[index] ?? []);
    },
    async close() {
      const written: WrittenSheet[] = [];
      let cutCells = 0;
      for (const writer of writers) {
        const closed = await closeTable(writer);
        cutCells += closed.cutCells;
        for (const { name, columns, rows } of closed.sheets) {
          written.push({ name, columns, rows, part: sheetPart(written.length + 1) });
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

function refuseTooWide({ length }: readonly Column[]): void {
  if (length <= maxSheetColumns) return;
  throw new DossierError(
    'OUTPUT_TROUBLE',
    `a sheet has room for ${maxSheetColumns.toLocaleString('en')} columns, and the result has ${length.toLocaleString('en')}; write another format, or fewer columns (output.columns)`,
  );
}
