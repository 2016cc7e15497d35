import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { viewTable } from '../../../core/columns/choose-columns.ts';
import { flattenRow, type RunRecord, type Table } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import { openAtomicFile } from '../../../core/runtime/files/atomic-file.ts';
import { formats } from '../../../results/formats.ts';
import type { Download, DownloadQuery } from '../api.ts';
import { findRows } from './read-page.ts';
import type { RunTable } from './run-table.ts';

export interface DownloadRequest {
  /** In its own folder: writing stops when the folder is removed. */
  readonly path: string;
  readonly query: DownloadQuery;
}

const rowsAtOnce = 500;
const lookEveryMs = 200;

/** In portions, so memory stays flat. A workbook of rows has the sheets of an export: companies, people and rejects. */
export async function writeDownload(
  tableOf: () => RunTable,
  { path, query }: DownloadRequest,
): Promise<Pick<Download, 'rows' | 'bytes' | 'sheets'>> {
  const { format, delimiter, isForSpreadsheet } = query;
  const isOfPeople = query.table === 'people';
  const { run } = tableOf();
  const isWorkbook = format === 'xlsx' && !isOfPeople;
  const hasPeople = isWorkbook && run.hasPeople;
  const numbers = await untilWhole(tableOf, path, hasPeople, query);
  const names: Table[] = [isOfPeople ? 'people' : 'companies'];
  if (hasPeople) names.push('people');
  if (isWorkbook) names.push('rejects');
  const views = names.map((table) => {
    // People in a workbook have all columns.
    const columns = table === 'people' && !isOfPeople ? [] : query.columns;
    return viewTable(table, run.columns, { columns, order: 'list-first' });
  });
  const file = await openAtomicFile(path);
  const writer = await formats[format](file, views, {
    delimiter,
    excelSafe: isForSpreadsheet,
    bom: isForSpreadsheet,
  });
  const write = async (source: RunRecord) => {
    for (const [at, view] of views.entries()) {
      const record = view.record(source);
      if (record) await writer.write(record, at);
    }
  };
  const portions = function* (all: readonly number[]) {
    for (let at = 0; at < all.length; at += rowsAtOnce) yield all.slice(at, at + rowsAtOnce);
  };
  const peopleAt = (lines: readonly number[]) => tableOf().flat?.peopleAt(lines) ?? [];
  try {
    for (const some of portions(numbers)) {
      await nextTurn(path);
      if (isOfPeople) for (const { record: person } of peopleAt(some)) await write({ person });
      else {
        for (const { record } of tableOf().ledger.records.at(run, some)) {
          await write({ row: flattenRow(record, run.columns.length) });
        }
      }
    }
    if (hasPeople) {
      const isWritten = new Set(numbers);
      const lines = findRows(tableOf(), { ...everyone, table: 'people' }).numbers;
      for (const some of portions(lines)) {
        await nextTurn(path);
        for (const { foundBy, record: person } of peopleAt(some)) {
          if (foundBy.some((number) => isWritten.has(number))) await write({ person });
        }
      }
    }
    const { bytes, sheets } = await writer.close();
    await file.publish();
    return { rows: numbers.length, bytes, ...(sheets && { sheets }) };
  } finally {
    await writer.discard?.();
    await file.discard();
  }
}

const everyone = { search: '', facets: {}, sort: undefined, descending: false };

/** Lets other requests in between. */
async function nextTurn(path: string, waitMs = 0): Promise<void> {
  await sleep(waitMs);
  if (!existsSync(dirname(path))) throw new DossierError('USAGE', 'the page no longer waits');
}

/** Waits until the flat table has every row, so none is left out. */
async function untilWhole(
  tableOf: () => RunTable,
  path: string,
  needsPeople: boolean,
  query: DownloadQuery,
): Promise<readonly number[]> {
  for (;;) {
    const table = tableOf();
    const { index, numbers } = findRows(table, query);
    const states = [...(index ? [index] : []), ...(needsPeople ? [table.state(true)] : [])];
    if (states.every(({ isWhole }) => isWhole)) return numbers;
    const [problem] = states.flatMap((state) => state.problem ?? []);
    if (problem !== undefined) {
      const message = `rows cannot be searched, filtered or sorted: ${problem}`;
      throw new DossierError('OUTPUT_TROUBLE', message);
    }
    await nextTurn(path, lookEveryMs);
  }
}
