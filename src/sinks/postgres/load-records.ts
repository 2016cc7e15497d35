import { inputColumns, rejectColumns } from '../../records/columns/row-columns.ts';
import { jsonText } from '../../runtime/json/json-text.ts';
import { onlyChanges } from '../files/same-files.ts';
import type { Manifest, RecordCounts } from '../manifest.ts';
import { runColumns } from '../tables/run-columns.ts';
import type { ContractTable } from '../tables/table-contract.ts';
import { warehouseTables } from '../tables/warehouse-tables.ts';
import { type RecordSource, writeRecords } from '../write-records.ts';
import type { BegunLoad } from './begin-load.ts';
import type { Warehouse } from './connection/open-warehouse.ts';
import { copiedColumns, copiedTables, copyName } from './copy/copied-table.ts';
import { encodeCopy } from './copy/encode-copy.ts';
import { openStaging, type Staging, stagedName } from './copy/stage-records.ts';
import { type FoundTables, fitTables, lacksNothing } from './fit-tables.ts';
import { hasCompanies, stampRun } from './loaded-run.ts';
import { type MergeCounts, type MergePlan, mergeTable, type WhenRemoved } from './merge-table.ts';
import type { LoadOptions } from './prepare-load.ts';

export interface LoadedRecords {
  readonly tables: Partial<Readonly<Record<ContractTable, MergeCounts>>>;
  readonly counts: RecordCounts;
  /** Whether the tables held the same result, so that no record was read. */
  readonly isSame: boolean;
}

/** Copies the records of a run into staging tables, and merges them from there. */
export async function loadRecords(
  warehouse: Warehouse,
  source: RecordSource,
  options: LoadOptions,
  begun: BegunLoad,
): Promise<LoadedRecords> {
  const { facts, names, signal } = options;
  const headers = source.records.inputColumns;
  const last = await findSame(warehouse, options, begun, headers);
  const copied = last ? (['changes'] as const) : copiedTables;
  const staging = openStaging(warehouse);
  for (const table of copied) {
    await staging.create(table, copiedColumns(table, headers), stagedKeys[table]);
  }
  const sinks = copied.map((table) => ({
    name: copyName(table),
    write: (lines: Parameters<Staging['copy']>[1]) => staging.copy(table, lines),
  }));
  const plan = { headers, files: [], copied, names, options: noFiles, isTallied: false };
  const written = await writeRecords(last ? onlyChanges(source) : source, sinks, plan, signal);
  const counts = last ? { ...last.counts, changes: written.changes } : written;
  await stageManifest(staging, { ...facts, counts, files: [] });
  await staging.finish();
  const found = await fitTables(warehouse, headers);
  const tables: Partial<Record<ContractTable, MergeCounts>> = {};
  for (const merge of mergesOf(options, headers, found)) {
    if (last && !['changes', 'runs'].includes(merge.table)) continue;
    signal?.throwIfAborted();
    tables[merge.table] = await mergeTable(warehouse, merge);
  }
  await stampRun(warehouse, { job: facts.job.name, ...facts.run });
  return { tables, counts, isSame: last !== undefined };
}

/** What lines of CSV depend on; there are none. */
const noFiles = { excelSafe: false, delimiter: ',' } as const;

/** What tells staged records of a table apart. */
const stagedKeys = {
  companies: ['row_key'],
  people: ['company_id', 'country', 'person_key'],
  changes: ['change_number'],
  runs: ['run_id', 'run_started_at'],
} as const;

/** The manifest of the run that is loaded, where this one comes to the same. */
async function findSame(
  warehouse: Warehouse,
  { facts, findSame: find }: LoadOptions,
  { found, loaded }: BegunLoad,
  headers: readonly string[],
): Promise<Manifest | undefined> {
  const last = loaded?.manifest;
  if (!last || !lacksNothing(found, headers, warehouse.place.schema)) return undefined;
  if (!find?.(last)) return undefined;
  const isThere = last.counts.rows === 0 || (await hasCompanies(warehouse, facts.job.name));
  return isThere ? last : undefined;
}

const manifestColumns = [
  ...runColumns,
  ...warehouseTables.runs.columns.filter(({ name }) => name === 'manifest'),
];

async function stageManifest(staging: Staging, manifest: Manifest): Promise<void> {
  const record = [...runColumns.map(({ value }) => value(manifest)), jsonText(manifest)];
  await staging.create('runs', manifestColumns, stagedKeys.runs);
  await staging.copy('runs', encodeCopy(manifestColumns)([record]));
}

function mergesOf(
  { facts, whenRemoved: how }: LoadOptions,
  headers: readonly string[],
  { tables }: FoundTables,
): MergePlan[] {
  const { job, run } = facts;
  const scope = { job: job.name };
  const at = run.endedAt ?? run.startedAt;
  const whenRemoved: WhenRemoved = how === 'mark' ? { how, at } : { how };
  const copied = (table: 'companies' | 'people' | 'changes') => ({
    ...{ table, staged: stagedName(table), key: stagedKeys[table] },
    columns: copiedColumns(table, headers).map(({ name }) => name),
  });
  const inputs = inputColumns(headers).map(({ name }) => name);
  /** Of a list that has a column no longer, as others may have it. */
  const emptied = (table: string) =>
    [...(tables.get(table)?.columns.keys() ?? [])].filter(
      (name) => name.startsWith('input_') && !inputs.includes(name),
    );
  const current = { scope, hasMarks: true, whenRemoved };
  const changes = copied('changes');
  return [
    { ...copied('companies'), ...current, emptied: emptied('companies') },
    {
      ...{ table: 'rejects', key: stagedKeys.companies, ...current, emptied: emptied('rejects') },
      staged: `(select * from ${stagedName('companies')} where status not in ('matched', 'open'))`,
      columns: [...rejectColumns.map(({ name }) => name), ...inputs],
    },
    { ...copied('people'), ...current },
    {
      ...changes,
      columns: changes.columns.filter((name) => name !== 'run'),
      scope: { ...scope, run: run.id, run_started_at: run.startedAt },
      ...{ hasMarks: false, whenRemoved: { how: 'delete' } },
    },
    {
      ...{ table: 'runs', staged: stagedName('runs'), key: stagedKeys.runs, scope },
      columns: manifestColumns.map(({ name }) => name),
      ...{ hasMarks: false, whenRemoved: { how: 'keep' } },
    },
  ];
}
