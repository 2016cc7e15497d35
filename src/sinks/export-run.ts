import { join } from 'node:path';
import type { RunRecords } from '../ledger/run-records.ts';
import { peopleColumns } from '../records/columns/columns.ts';
import { mergePeople } from '../records/merge-people.ts';
import { rejectRecordColumns } from '../records/reject-record.ts';
import { rowRecordColumns } from '../records/row-record.ts';
import {
  outputTrouble,
  removeLeftovers,
  syncFolder,
  writeFileAtomically,
} from '../runtime/atomic-file.ts';
import { makeFolder } from '../runtime/make-folder.ts';
import { filesOfLastExport, removeStaleFiles } from './files/stale-files.ts';
import { openTableFiles, type TableFiles, type TableOptions } from './files/table-files.ts';
import type { Manifest, ManifestFacts, ManifestFile, RowCounts } from './manifest.ts';
import { openRunTally, type RunTally, type RunTallying } from './tally/run-tally.ts';
import { type ThreadedRows, writeRows } from './write-rows.ts';

export interface ExportOptions extends TableOptions {
  readonly facts: ManifestFacts;
  /** Where a second thread finds the rows; without it, or with few rows, there is none. */
  readonly threaded?: ThreadedRows;
  /** Makes the report of what was written; it is there before the manifest. */
  readonly writeReport?: (written: WrittenRun) => Promise<void>;
}

/** An export whose files are in their places. */
export interface WrittenRun {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly tally: RunTally;
}

export interface ExportSummary {
  readonly folder: string;
  readonly counts: RowCounts;
  readonly files: readonly ManifestFile[];
  /** Files of the last export that would have passed for part of this one. */
  readonly removed: readonly string[];
}

/**
 * Writes a run's files. All of them are whole on the disk under temporary names before the first is
 * renamed, and the manifest comes last: a folder whose files fit their manifest is one export.
 */
export async function exportRun(
  records: RunRecords,
  options: ExportOptions,
): Promise<ExportSummary> {
  const { folder } = options;
  const formats = [...new Set(options.formats)];
  makeOutputFolder(folder);
  await removeLeftovers(folder);
  const last = await filesOfLastExport(folder);

  await using tables = await openTables(records, { ...options, formats });
  const tally = openRunTally();
  const rows = { ...options, formats };
  const counts = await writeRows(records, tables, tally, rows, options.threaded);
  counts.people = await writePeople(records, tables, tally);
  const files = await tables.close();

  await tables.publish();
  await syncFolder(folder);
  const removed = await removeStaleFiles(folder, last, { files, formats });
  const manifest: Manifest = { ...options.facts, counts, files };
  await options.writeReport?.({ folder, manifest, tally: tally.facts() });
  await writeFileAtomically(
    join(folder, 'manifest.json'),
    `${JSON.stringify(manifest, undefined, 2)}\n`,
  );
  return { folder, counts, files, removed };
}

async function writePeople(
  records: RunRecords,
  { people }: Tables,
  tally: RunTallying,
): Promise<number> {
  if (people === undefined) return 0;
  let count = 0;
  for (const company of records.people()) {
    for (const person of mergePeople(company)) {
      count += 1;
      tally.addPerson(person);
      const wait = people.write(person);
      if (wait !== undefined) await wait;
    }
  }
  return count;
}

interface Tables extends AsyncDisposable {
  readonly companies: TableFiles;
  readonly people: TableFiles | undefined;
  readonly rejects: TableFiles;
  close(): Promise<ManifestFile[]>;
  publish(): Promise<void>;
}

async function openTables(records: RunRecords, options: TableOptions): Promise<Tables> {
  const open: TableFiles[] = [];
  const discard = async () => {
    for (const table of open) await table.discard();
  };
  const opened = async (table: Promise<TableFiles>) => {
    open.push(await table);
    return table;
  };
  const { inputColumns: headers } = records;
  try {
    return {
      companies: await opened(openTableFiles('companies', rowRecordColumns(headers), options)),
      people: records.hasPeople
        ? await opened(openTableFiles('people', peopleColumns, options))
        : undefined,
      rejects: await opened(openTableFiles('rejects', rejectRecordColumns(headers), options)),
      close: async () => {
        const files: ManifestFile[] = [];
        for (const table of open) files.push(...(await table.close()));
        return files;
      },
      publish: async () => {
        for (const table of open) await table.publish();
      },
      [Symbol.asyncDispose]: discard,
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw outputTrouble(folder, error);
  }
}
