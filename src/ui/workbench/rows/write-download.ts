import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { viewTable } from '../../../core/columns/choose-columns.ts';
import { type Cell, type FlatRecord, ownColumn } from '../../../core/columns/columns.ts';
import { flattenRow } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import { openAtomicFile } from '../../../platform/files/atomic-file.ts';
import { formats } from '../../../results/formats.ts';
import { valueWords } from '../../words/labels.ts';
import type { TableColumn } from '../api/answers.ts';
import { type DownloadQuery, RowsQuery } from '../api/requests.ts';
import { columnsNamed, findRows } from './read-page.ts';
import type { RunTable } from './run-table.ts';
import { personColumns } from './shown-columns.ts';

export interface DownloadRequest {
  /** In its own folder: writing stops when the folder is removed. */
  readonly path: string;
  readonly query: DownloadQuery;
}

const rowsAtOnce = 500;
const lookEveryMs = 200;

/** Writes in portions, so memory does not grow with the list. */
export async function writeDownload(tableOf: () => RunTable, { path, query }: DownloadRequest) {
  const { format } = query;
  const isOfPeople = query.table === 'people';
  const { run } = tableOf();
  const isWorkbook = format === 'xlsx' && !isOfPeople;
  const hasPeople = isWorkbook && run.hasPeople;
  // The company id joins files of companies and people, and the key joins both to the list.
  const first = isOfPeople ? ['row_numbers', 'list_key'] : ['row_number'];
  const names = [...first, ...query.columns, 'company_id'];
  const shown = columnsNamed(run, query, new Set(names));
  const needsPeople = hasPeople || shown.some(({ position }) => position === -1);
  const numbers = await untilWhole(tableOf, path, needsPeople, query);
  const isForReaders = format === 'xlsx' || format === 'csv';
  const sheet = sheetOf(isOfPeople ? 'people' : 'companies', shown, isForReaders);
  const people = sheetOf('people', personColumns, isForReaders);
  const rejects = viewTable('rejects', run.columns, {
    columns: [],
    order: 'list-first',
    hasServices: run.services.length > 1,
    hasRegister: run.registerSources !== null,
  });
  const sheets = [sheet, ...(hasPeople ? [people] : []), ...(isWorkbook ? [rejects] : [])];
  await using file = await openAtomicFile(path);
  const writer = await formats[format](file, sheets, {
    delimiter: ',',
    excelSafe: true,
    bom: false,
  });
  const portions = async function* (all: readonly number[]) {
    for (let at = 0; at < all.length; at += rowsAtOnce) {
      await nextTurn(path);
      yield all.slice(at, at + rowsAtOnce);
    }
  };
  const writePeople = async (lines: readonly number[], to: typeof sheet, rows?: Set<number>) => {
    for await (const some of portions(lines)) {
      for (const { foundBy, record } of tableOf().flat?.peopleAt(some) ?? []) {
        const isWanted = !rows || foundBy.some((number) => rows.has(number));
        if (isWanted) await writer.write(to.record(record), sheets.indexOf(to));
      }
    }
  };
  const writeRows = async () => {
    for await (const some of portions(numbers)) {
      const { readRecords, flat } = tableOf();
      const counts = needsPeople ? flat?.factsAt(some) : undefined;
      for (const { record } of readRecords().at(run, some)) {
        const row = flattenRow(record, run.columns.length);
        await writer.write(sheet.record(row.cells, counts?.get(record.number)?.people), 0);
        const reject = isWorkbook && rejects.record({ row });
        if (reject) await writer.write(reject, sheets.indexOf(rejects));
      }
    }
  };
  try {
    if (isOfPeople) await writePeople(numbers, sheet);
    else await writeRows();
    if (hasPeople) {
      const lines = findRows(tableOf(), RowsQuery.parse({ table: 'people' })).numbers;
      await writePeople(lines, people, new Set(numbers));
    }
    const { bytes } = await writer.close();
    await file.publish();
    return { rows: numbers.length, bytes };
  } finally {
    await writer.discard?.();
  }
}

/** Files for people have the page's headers and words; files for programs have names and codes. */
function sheetOf(
  table: 'companies' | 'people',
  columns: readonly TableColumn[],
  isForReaders: boolean,
) {
  const headers = columns.map(({ name, label }) => (isForReaders ? label : name));
  return {
    table,
    columns: columns.map(({ type, about }, at) =>
      ownColumn(headers[at] ?? '', isForReaders && type === 'boolean' ? 'text' : type, about),
    ),
    record: (cells: FlatRecord, people: number | null = null): FlatRecord =>
      columns.map(({ name, position }) => {
        const cell = position === -1 ? people : (cells[position] ?? null);
        return isForReaders ? wordsOf(name, cell) : cell;
      }),
  };
}

/** The words of the table; numbers stay numbers. */
function wordsOf(name: string, cell: Cell): Cell {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return typeof cell === 'string' ? valueWords(name, cell) : cell;
}

/** Lets the thread answer other requests. */
async function nextTurn(path: string, waitMs = 0) {
  await sleep(waitMs);
  if (!existsSync(dirname(path))) throw new DossierError('USAGE', 'the download was cancelled');
}

async function untilWhole(
  tableOf: () => RunTable,
  path: string,
  needsPeople: boolean,
  query: DownloadQuery,
) {
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
