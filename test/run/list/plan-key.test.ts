import { expect, test } from 'vitest';
import {
  type KeyOfLastRun,
  type KeyPlan,
  keyNotes,
  openRowKeys,
  planKey,
} from '../../../src/run/list/row-keys.ts';
import { testJob } from '../../support/test-job.ts';

const columns = ['website', 'crm_id', 'id'];
const rows = ['1', '2'].map((id, index) => ({
  number: index + 1,
  line: index + 2,
  cells: [`a${id}.com.au`, 'same', id],
}));
const rowPlan = { identify: [{ index: 0, as: 'fqdn' }], country: { default: 'AU' } } as const;

function plan(key: readonly string[] | undefined, last: KeyOfLastRun, names = columns) {
  return planKey(jobWith(key), names, rows, rowPlan, last);
}

test('the key that the job names comes first, then that of the last run, then a unique column', () => {
  const named = { columns: ['crm_id', 'website'], indexes: [1, 0], foundBy: 'job' };
  expect(plan(['crm_id', 'website'], ['id'])).toEqual(named);
  const kept = { columns: ['crm_id'], indexes: [1], foundBy: 'last run' };
  expect(plan(undefined, ['crm_id'])).toEqual(kept);
  const found = { columns: ['id'], indexes: [2], foundBy: 'detection' };
  expect(plan(undefined, undefined)).toEqual(found);
});

test('a list without rows says nothing of the key', () => {
  const empty = { columns: [], indexes: [], foundBy: 'last run' };
  expect(planKey(jobWith(undefined), [], [], rowPlan, ['crm_id'])).toEqual(empty);
  expect(planKey(jobWith(undefined), columns, [], rowPlan, undefined)).toEqual(empty);
});

test('hashes stay the keys of a job, though its list gets a column that could be one', () => {
  expect(plan(undefined, null)).toEqual({ columns: [], indexes: [], foundBy: 'last run' });
});

function jobWith(key: readonly string[] | undefined) {
  const job = testJob();
  return { ...job, input: { ...job.input, key }, placeOfColumn: () => 'leads.yaml:7:8' };
}

test('a key that was found is told once, and a key that stays is not', () => {
  expect(notesOf(found(['id']), undefined)).toEqual([
    'A row is known by "id" (row_key in the results); input.key names other columns.',
  ]);
  expect(notesOf({ ...found(['id']), foundBy: 'last run' }, ['id'])).toEqual([]);
  expect(notesOf({ ...found(['id']), foundBy: 'job' }, ['id'])).toEqual([]);
  expect(notesOf({ ...found(['id']), foundBy: 'job' }, undefined)).toEqual([]);
  expect(notesOf(found([]), undefined)).toEqual([]);
});

test('a key that changes is told, because each row counts as new', () => {
  expect(notesOf(found(['id']), ['crm_id'])).toEqual([
    'A row is now known by "id", not by "crm_id", so each row counts as new.',
  ]);
  expect(notesOf(found([]), ['a', 'b'])).toEqual([
    'A row is now known by a hash of its identifiers, not by "a" and "b", so each row counts as new.',
  ]);
  expect(notesOf({ ...found(['id']), foundBy: 'job' }, null)).toEqual([
    'A row is now known by "id", not by a hash of its identifiers, so each row counts as new.',
  ]);
});

const kept = { ...found(['id']), foundBy: 'job' } as const;

test('a key column that is not unique is named, with the first two rows', () => {
  expect(notesOf(kept, ['id'], ['7', '42', '8', '42'])).toEqual([
    'Key "id" is not unique: rows 2 and 4 both have "42". Repeated rows with #2, #3 … after their row_key: 1.',
  ]);
  expect(notesOf(kept, ['id'], Array<string>(2_001).fill('x'.repeat(100)))).toEqual([
    `Key "id" is not unique: rows 1 and 2 both have "${'x'.repeat(59)}…". Repeated rows with #2, #3 … after their row_key: 2,000.`,
  ]);
});

test('rows without a key, and rows that their identifiers do not tell apart, are told', () => {
  const same =
    'have the same identifiers. Repeated rows with #2, #3 … after their row_key: 1. input.key names a column that tells rows apart.';
  expect(notesOf(kept, ['id'], ['7', '', ''])).toEqual([
    'Rows without "id": 2, the first is row 2. The row_key of each is a hash of its identifiers.',
    `Rows 2 and 3 ${same}`,
  ]);
  expect(notesOf({ ...found([]), foundBy: 'last run' }, null, ['', ''])).toEqual([
    `Rows 1 and 2 ${same}`,
  ]);
});

function found(columns: readonly string[]): KeyPlan {
  return { columns, indexes: [...columns.keys()], foundBy: 'detection' };
}

/** What is said of rows that hold these keys and ask for the same company. */
function notesOf(key: KeyPlan, last: KeyOfLastRun, cells: readonly string[] = []): string[] {
  const keys = openRowKeys();
  const row = { identify: [], country: { default: 'AU' } } as const;
  for (const [index, cell] of cells.entries()) {
    const asked = { country: 'AU', candidates: [['fqdn', 'acme.com.au']] } as const;
    keys.keyOf({ number: index + 1, cells: [cell], ...asked }, row, key);
  }
  return keyNotes(key, last, keys.seen);
}
