import { changeColumns } from '../../records/columns/change-columns.ts';
import type { Column } from '../../records/columns/columns.ts';
import { companyColumns } from '../../records/columns/company-columns.ts';
import { peopleColumns } from '../../records/columns/people-columns.ts';
import { rejectColumns, rowColumns } from '../../records/columns/row-columns.ts';
import type { Table } from '../../records/tables.ts';
import { runColumns } from './run-columns.ts';

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
