import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlatRecord } from '../../../core/columns/columns.ts';
import { peopleColumns } from '../../../core/columns/table-columns.ts';
import { DossierError } from '../../../core/errors.ts';
import { openAtomicFile } from '../../../core/runtime/files/atomic-file.ts';
import { formats } from '../../../results/formats.ts';
import type { Download, DownloadQuery } from '../api/downloads.ts';
import type { IndexState } from '../api/rows.ts';
import type { TableOf } from '../rows/open-tables.ts';
import type { RowsTable } from '../rows/read-page.ts';
import type { TableDesk } from '../rows/table-desk.ts';
import { makeTemporaryFolder } from '../temporary-files.ts';

/** Files that were made to be fetched once. They lie in a folder of their own until then. */
export type Downloads = ReturnType<typeof openDownloads>;

interface TakenFile extends Disposable {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** A file that nobody fetches, because its tab was closed, gives its room back. */
const keptMs = 10 * 60_000;

export function openDownloads(tables: Pick<TableDesk, 'ask'>) {
  const waiting = new Map<string, TakenFile>();
  const remove = (id: string) => {
    waiting.get(id)?.[Symbol.dispose]();
    waiting.delete(id);
  };
  return {
    async make(
      name: string,
      of: TableOf,
      query: DownloadQuery,
      signal: AbortSignal,
    ): Promise<Download> {
      const folder = makeTemporaryFolder();
      const path = join(folder.path, 'download');
      try {
        const { bytes, ...written } = await writeDownload(path, tables, of, query, signal);
        const id = randomUUID();
        waiting.set(id, { path, name, bytes, [Symbol.dispose]: folder[Symbol.dispose] });
        setTimeout(() => remove(id), keptMs).unref();
        return { id, name, bytes, ...written };
      } catch (error) {
        folder[Symbol.dispose]();
        throw error;
      }
    },
    /** Undefined where there is none of this id, or it was fetched. */
    take(id: string): TakenFile | undefined {
      const file = waiting.get(id);
      waiting.delete(id);
      return file;
    },
    [Symbol.dispose]() {
      for (const id of [...waiting.keys()]) remove(id);
    },
  };
}

/** Rows that are in memory at once. */
const rowsAtOnce = 500;

/**
 * Writes rows or people to a file, page by page, so that memory stays flat however many there are. A workbook of rows
 * has the sheets of an export: companies, their people, and rejects.
 */
async function writeDownload(
  path: string,
  tables: Pick<TableDesk, 'ask'>,
  of: TableOf,
  query: DownloadQuery,
  signal: AbortSignal,
): Promise<Pick<Download, 'rows' | 'bytes' | 'sheets'>> {
  const { format, delimiter = ',', isForSpreadsheet = false } = query;
  const found = await untilWhole(
    async () => await tables.ask('find', { of, query }),
    ({ index }) => index,
    signal,
  );
  const { numbers } = found;
  const run = { ...of, run: found.run };
  const isWorkbook = format === 'xlsx' && query.table !== 'people';
  const first: RowsTable = query.table ?? 'companies';
  const made: readonly RowsTable[] = isWorkbook ? [first, 'rejects'] : [first];
  const read = async (some: readonly number[]) => {
    signal.throwIfAborted();
    return await tables.ask('records', { of: run, numbers: some, query, tables: made });
  };
  const { columns } = await read([]);
  const [ofFirst = [], ofRejects = []] = columns;
  const hasPeople = isWorkbook && found.hasPeople;
  const sheets = [
    { table: first, columns: ofFirst } as const,
    ...(hasPeople ? [{ table: 'people', columns: peopleColumns } as const] : []),
    ...(isWorkbook ? [{ table: 'rejects', columns: ofRejects } as const] : []),
  ];
  const file = await openAtomicFile(path);
  const writer = await formats[format](file, sheets, {
    ...{ delimiter, excelSafe: isForSpreadsheet, bom: isForSpreadsheet },
  });
  const writeAll = async (records: readonly FlatRecord[], table: number) => {
    for (const record of records) await writer.write(record, table);
  };
  try {
    let rows = 0;
    for (let at = 0; at < numbers.length; at += rowsAtOnce) {
      const { records } = await read([...numbers.subarray(at, at + rowsAtOnce)]);
      const [ofPage = [], rejected = []] = records;
      await writeAll(ofPage, 0);
      await writeAll(rejected, sheets.length - 1);
      rows += ofPage.length;
    }
    if (hasPeople) {
      const isWritten = new Uint8Array(1 + numbers.reduce((one, other) => Math.max(one, other), 0));
      for (const number of numbers) isWritten[number] = 1;
      for await (const { foundBy, record } of allPeople(tables, run, signal)) {
        if (foundBy.some((number) => isWritten[number] === 1)) await writeAll([record], 1);
      }
    }
    const closed = await writer.close();
    await file.publish();
    return { rows, bytes: closed.bytes, ...(closed.sheets && { sheets: closed.sheets }) };
  } finally {
    await writer.discard?.();
    await file.discard();
  }
}

async function* allPeople(tables: Pick<TableDesk, 'ask'>, of: TableOf, signal: AbortSignal) {
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const { people } = await untilWhole(
      async () => await tables.ask('people', { of, after }),
      ({ index }) => index,
      signal,
    );
    yield* people;
    const last = people.at(-1);
    if (!last) return;
    after = last.number;
  }
}

const lookEveryMs = 200;

/** Reads when every row is in the flat table: before, those that are not in it would be left out. */
async function untilWhole<Found>(
  find: () => Promise<Found>,
  indexOf: (found: Found) => IndexState | null,
  signal: AbortSignal,
): Promise<Found> {
  for (;;) {
    const found = await find();
    const index = indexOf(found);
    if (index === null || index.isWhole) return found;
    if (index.problem !== null) {
      const message = `rows cannot be searched, narrowed or sorted: ${index.problem}`;
      throw new DossierError('OUTPUT_TROUBLE', message);
    }
    await sleep(lookEveryMs, undefined, { signal });
  }
}
