import { z } from 'zod';
import {
  type Column,
  type ColumnType,
  nameEveryColumn,
  ownColumn,
  snakeCase,
  type ValueColumn,
} from '../records/columns.ts';
import {
  changeColumns,
  companyColumns,
  inputColumns,
  peopleColumns,
  rejectColumns,
  rowColumns,
} from '../records/table-columns.ts';
import { type ColumnChoice, viewTable } from '../records/table-view.ts';
import type { Table } from '../records/tables.ts';
import { jsonText } from '../runtime/json/json-text.ts';
import { Manifest } from './manifest.ts';

/** The manifest as a table: a column for each field, `run.startedAt → run_started_at`; lists are JSON. */
export const runColumns: readonly ValueColumn<Manifest>[] = columnsBelow(
  z.toJSONSchema(Manifest) as Field,
  [],
);

/** The part of JSON Schema that a manifest needs. */
interface Field {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly anyOf?: readonly Field[];
}

function columnsBelow({ properties = {} }: Field, path: readonly string[]) {
  return Object.entries(properties).flatMap(([key, field]): ValueColumn<Manifest>[] => {
    const here = [...path, key];
    if (field.properties) return columnsBelow(field, here);
    const type = typeOf(field, here);
    return [
      {
        ...{ name: here.map(snakeCase).join('_'), path: here, type },
        description: field.description ?? '',
        value: (manifest) => cellAt(manifest, here),
      },
    ];
  });
}

function typeOf(field: Field, path: readonly string[]): ColumnType {
  const filled = field.anyOf?.find(({ type }) => type !== 'null') ?? field;
  if (filled.format === 'date-time') return 'timestamp';
  const [type] = [filled.type].flat().filter((word) => word !== 'null');
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
    case 'boolean':
      return type;
    case 'array':
      return 'json';
    default:
      throw new Error(`no column type for ${path.join('.')} of the manifest`);
  }
}

/** A part that a manifest may lack, such as `spend`, gives null. */
function cellAt(manifest: Manifest, path: readonly string[]) {
  const value = path.reduce<unknown>(
    (inside, key) => (inside as Record<string, unknown> | undefined)?.[key],
    manifest,
  );
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? jsonText(value) : (value as string | number | boolean);
}

/** What a warehouse is promised of a table. */
export interface TableContract {
  readonly name: string;
  readonly description: string;
  /** Without the columns of the list, which are text and differ from job to job. */
  readonly columns: readonly Column[];
  /** How the columns of the list are named; undefined in a table that has none. */
  readonly listColumns?: 'input_' | 'as in the list';
  /** Columns that tell a record from all others; none where records are only added. */
  readonly key: readonly string[];
  /** Columns that are never null. */
  readonly filled: readonly string[];
}

/** The tables of an export, and the manifests of all runs. */
export type ContractTable = Table | 'runs';

export const tableContracts: Readonly<Record<ContractTable, TableContract>> = {
  companies: {
    name: 'companies',
    description: 'One record for each row of the list, with its company.',
    columns: [...rowColumns, ...companyColumns],
    listColumns: 'input_',
    key: ['row_key'],
    filled: ['row_number', 'row_key', 'status', 'stale'],
  },
  people: {
    name: 'people',
    description: 'One record for each person of a company, in each country that was searched.',
    columns: peopleColumns,
    // A person whom the service gives no id is told from others only by its place.
    key: ['company_id', 'country', 'person_id'],
    filled: ['company_id', 'country', 'row_numbers', 'row_keys', 'fetched_at', 'stale'],
  },
  rejects: {
    name: 'rejects',
    description: 'The rows of the list that have no company, and why.',
    columns: rejectColumns,
    listColumns: 'as in the list',
    key: ['row_key'],
    filled: ['row_number', 'row_key', 'status', 'stale'],
  },
  changes: {
    name: 'changes',
    description: 'What differs from the run before, one record for each row or person.',
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

const job = ownColumn('job', 'text', 'Name of the job: several may share the tables of a schema.');

const personKey = ownColumn(
  'person_key',
  'text',
  'Id of the person; of one without an id, its place among those of the company: #1, #2. An id that begins with # has another # before it.',
);

const changeNumber = ownColumn(
  'change_number',
  'integer',
  'Place of the change among those of its run, from 1.',
);

const runStartedAt = ownColumn(
  'run_started_at',
  'timestamp',
  'When the run started, UTC: a new ledger counts its runs from r1 again.',
);

const manifest = ownColumn('manifest', 'json', 'The whole manifest.');

const loadedAt = ownColumn(
  'loaded_at',
  'timestamp',
  'When the run was loaded; the latest of a job is the one that its tables hold.',
);

const { companies, people, rejects, changes, runs } = tableContracts;

/**
 * The tables as a warehouse holds them: of several jobs, night after night. Rejects are told apart from the
 * columns of the list here by its `input_` names, as a list may have a `status` itself.
 */
export const warehouseTables: Readonly<Record<ContractTable, TableContract>> = {
  companies: {
    ...companies,
    columns: [job, ...companies.columns],
    key: ['job', 'row_key'],
    filled: ['job', ...companies.filled],
  },
  people: {
    ...people,
    columns: [job, personKey, ...people.columns],
    key: ['job', 'company_id', 'country', 'person_key'],
    filled: ['job', 'person_key', ...people.filled],
  },
  rejects: {
    ...rejects,
    columns: [job, ...rejects.columns],
    listColumns: 'input_',
    key: ['job', 'row_key'],
    filled: ['job', ...rejects.filled],
  },
  changes: {
    ...changes,
    columns: [job, changeNumber, ...changes.columns, runStartedAt],
    key: ['job', 'run', 'run_started_at', 'change_number'],
    filled: ['job', 'change_number', 'run_started_at', ...changes.filled],
  },
  runs: {
    ...runs,
    columns: [job, ...runs.columns, manifest, loadedAt],
    key: ['job', 'run_id', 'run_started_at'],
    filled: ['job', 'manifest', ...runs.filled],
  },
};

/** A table as a line of JSONL has it, with the columns of one list, in the choice of one job. */
export function fileTable(
  table: ContractTable,
  headers: readonly string[],
  choice: ColumnChoice,
): TableContract {
  const contract = tableContracts[table];
  if (table === 'runs') return contract;
  const { listColumns: _, ...promised } = contract;
  const view = viewTable(table, headers, choice);
  const columns = nameEveryColumn(view.columns, { tellsCase: true });
  const aboutOf = (name: string, among: readonly Column[]) =>
    among.find((column) => column.name === name)?.description;
  // A column of the list may have the name of one of ours, which has another name then.
  const filled = contract.filled.filter(
    (name) => aboutOf(name, columns) === aboutOf(name, contract.columns),
  );
  return { ...promised, columns, filled };
}

/** A table as a warehouse holds it once a load of this list was there; a warehouse has every column. */
export function warehouseTable(table: ContractTable, headers: readonly string[]): TableContract {
  const contract = warehouseTables[table];
  if (contract.listColumns === undefined) return contract;
  return { ...contract, columns: [...contract.columns, ...inputColumns(headers)] };
}
