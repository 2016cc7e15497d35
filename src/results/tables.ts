import { type Column, fieldColumn, ownColumn, type ValueColumn } from '../core/columns/columns.ts';
import { changeOps } from '../core/columns/compare-records.ts';
import { fieldsOf } from '../core/columns/flatten-answer.ts';
import {
  changeColumns,
  companyColumns,
  lastColumns,
  peopleColumns,
  registerColumns,
  rejectColumns,
  rowColumns,
} from '../core/columns/table-columns.ts';
import type { TableName } from '../core/columns/tables.ts';
import { jsonText } from '../core/values/json-text.ts';
import { Manifest } from './manifest.ts';

/** Warehouses rely on the names and order of these columns, so do not change them. */
const runFields: Readonly<Record<string, string>> = {
  sample_data: 'sampleData',
  version: 'version',
  schema_version: 'schemaVersion',
  form: 'form',
  complete: 'complete',
  held: 'held',
  run_id: 'run',
  run_started_at: 'startedAt',
  run_ended_at: 'endedAt',
  run_changes_since: 'changes.since',
  job_name: 'job',
  job_fingerprint: 'jobFingerprint',
  job_list: 'listPath',
  input_name: 'list',
  input_fingerprint: 'listFingerprint',
  input_corrections: 'corrections',
  calls_made: 'calls.made',
  calls_failed: 'calls.failed',
  calls_saved: 'calls.saved',
  spend_requests: 'requests',
  spend_money: 'money',
  counts_rows: 'rows.total',
  counts_matched: 'rows.matched',
  counts_not_found: 'rows.not_found',
  counts_invalid: 'rows.invalid',
  counts_failed: 'rows.failed',
  counts_suppressed: 'rows.suppressed',
  counts_open: 'rows.open',
  counts_stale: 'rows.stale',
  counts_people: 'people',
  ...Object.fromEntries(changeOps.map((op) => [`counts_changes_${op}`, `changes.${op}`])),
  files: 'files',
  ledger_id: 'ledgerId',
};

const manifestFields = fieldsOf(Manifest).values;

export const runColumns = Object.entries(runFields).map(([name, at]): ValueColumn<Manifest> => {
  const field = manifestFields.find(({ path }) => path.join('.') === at);
  if (!field) throw new Error(`the manifest has no ${at}`);
  const value = (manifest: Manifest) => cellAt(manifest, field.path);
  return { ...fieldColumn(field, ''), name, value };
});

function cellAt(manifest: Manifest, path: readonly string[]) {
  const value = path.reduce<unknown>(
    (inside, key) => (inside as Record<string, unknown>)[key],
    manifest,
  );
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? jsonText(value) : (value as string | number | boolean);
}

/** One row that leaves a list changes the numbers of all rows after it, and so their records. */
export function isRowNumber(table: ContractTable, column: string): boolean {
  return table !== 'changes' && /^row_numbers?$/.test(column);
}

export interface TableContract {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly listColumns?: 'input_' | 'as in the list';
  /** Only in files, some only in files of some runs. */
  readonly lastColumns?: readonly Column[];
  /** Empty for an append-only table. */
  readonly key: readonly string[];
  readonly filled: readonly string[];
}

/** `stagedColumns` also has row numbers, for tables to which a user added them. */
export interface WarehouseTable extends TableContract {
  readonly stagedColumns: readonly Column[];
}

export type ContractTable = TableName | 'runs';

export const tableContracts: Readonly<Record<ContractTable, TableContract>> = {
  companies: {
    name: 'companies',
    description: 'One record for each row of the list, with its company.',
    columns: [...rowColumns, ...companyColumns, ...registerColumns],
    listColumns: 'input_',
    key: ['row_key'],
    filled: ['row_number', 'row_key', 'status', 'stale'],
  },
  people: {
    name: 'people',
    description: 'One record for each person of a company, in each country that was searched.',
    columns: peopleColumns,
    // Not unique for people without an id.
    key: ['company_id', 'country', 'person_id'],
    filled: ['company_id', 'country', 'row_numbers', 'row_keys', 'fetched_at', 'stale'],
  },
  rejects: {
    name: 'rejects',
    description: 'The rows of the list that have no company, and why.',
    columns: rejectColumns,
    listColumns: 'as in the list',
    lastColumns: Object.values(lastColumns).flatMap(({ rejects = [] }) => rejects),
    key: ['row_key'],
    filled: ['row_number', 'row_key', 'status', 'stale'],
  },
  changes: {
    name: 'changes',
    description: 'Differences from the previous run, one record for each row or person.',
    columns: changeColumns,
    key: [],
    filled: ['op', 'row_key', 'columns', 'since_run', 'run'],
  },
  runs: {
    name: 'runs',
    description: 'One record for each run: its manifest.',
    columns: runColumns,
    key: ['job_name', 'run_id'],
    filled: ['job_name', 'run_id', 'run_started_at', 'schema_version', 'complete'],
  },
};

export const allTables = Object.keys(tableContracts) as ContractTable[];

const job = ownColumn(
  'job',
  'text',
  'Name of the job. Several jobs may share the tables in a schema.',
);

const loadedAt = ownColumn(
  'loaded_at',
  'timestamp',
  'When the run was loaded. The tables hold the last loaded run of each job.',
);

/** Null where a job has one service. Rejects are staged with the companies. */
const { companies: service = [], rejects: tried = [] } = lastColumns.hasServices;
const ofServices: Partial<Record<ContractTable, readonly Column[]>> = {
  companies: [...service, ...tried],
  people: lastColumns.hasServices.people ?? [],
  rejects: tried,
};

/** A list may have its own column `status`, so its columns get the prefix `input_`. */
export const warehouseTables: Readonly<Record<ContractTable, WarehouseTable>> = {
  companies: ofJobs('companies', ['row_key']),
  people: ofJobs(
    'people',
    ['company_id', 'country', 'person_key'],
    ownColumn(
      'person_key',
      'text',
      'Id of the person. People without an id are numbered within their company: #1, #2. An id that begins with # gets another # before it.',
    ),
  ),
  rejects: ofJobs('rejects', ['row_key']),
  changes: ofJobs(
    'changes',
    ['run', 'run_started_at', 'change_number'],
    ownColumn('change_number', 'integer', 'Number of the change within its run, from 1.'),
    ownColumn(
      'run_started_at',
      'timestamp',
      'When the run started, UTC. It tells runs apart, because a new ledger starts again at r1.',
    ),
  ),
  runs: ofJobs(
    'runs',
    ['run_id', 'run_started_at'],
    undefined,
    ownColumn('manifest', 'json', 'The whole manifest.'),
    loadedAt,
  ),
};

function ofJobs(
  table: ContractTable,
  key: readonly string[],
  before?: Column,
  ...after: readonly Column[]
): WarehouseTable {
  const { columns, filled, listColumns, ...contract } = tableContracts[table];
  const first = before ? [job, before] : [job];
  const all = [...first, ...(ofServices[table] ?? []), ...columns, ...after];
  const added = [...first, ...after].flatMap((one) => (one === loadedAt ? [] : one.name));
  return {
    ...contract,
    columns: all.filter(({ name }) => !isRowNumber(table, name)),
    stagedColumns: all.filter((column) => column !== loadedAt),
    ...(listColumns && { listColumns: 'input_' }),
    key: ['job', ...key],
    filled: [...added, ...filled].filter((name) => !isRowNumber(table, name)),
  };
}
