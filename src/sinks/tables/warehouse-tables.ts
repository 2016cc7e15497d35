import { ownColumn } from '../../records/columns/columns.ts';
import { type ContractTable, type TableContract, tableContracts } from './table-contract.ts';

const job = ownColumn('job', 'text', 'Name of the job: several may share the tables of a schema.');

const removedAt = ownColumn(
  'removed_at',
  'timestamp',
  'When the run ended whose result has this record no longer, UTC; empty while it is in the result.',
);

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
    columns: [job, ...companies.columns, removedAt],
    key: ['job', 'row_key'],
    filled: ['job', ...companies.filled],
  },
  people: {
    ...people,
    columns: [job, personKey, ...people.columns, removedAt],
    key: ['job', 'company_id', 'country', 'person_key'],
    filled: ['job', 'person_key', ...people.filled],
  },
  rejects: {
    ...rejects,
    columns: [job, ...rejects.columns, removedAt],
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
