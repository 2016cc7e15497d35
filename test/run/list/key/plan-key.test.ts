import { expect, test } from 'vitest';
import { type KeyOfLastRun, planKey, requireKey } from '../../../../src/run/list/key/plan-key.ts';
import { testJob } from '../../../support/test-job.ts';

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

test('where a column of the last run is gone, the key is found anew', () => {
  const anew = { columns: ['id'], indexes: [2], foundBy: 'detection', vanished: ['uuid'] };
  expect(plan(undefined, ['crm_id', 'uuid'])).toEqual(anew);
  const names = ['website', 'name', 'notes'];
  const none = { columns: [], indexes: [], foundBy: 'detection', vanished: ['id'] };
  expect(plan(undefined, ['id'], names)).toEqual(none);
});

test('a list without rows says nothing of the key', () => {
  const empty = { columns: [], indexes: [], foundBy: 'last run' };
  expect(planKey(jobWith(undefined), [], [], rowPlan, ['crm_id'])).toEqual(empty);
  expect(planKey(jobWith(undefined), columns, [], rowPlan, undefined)).toEqual(empty);
});

test('hashes stay the keys of a job, though its list gets a column that could be one', () => {
  const kept = { columns: [], indexes: [], foundBy: 'last run', unused: 'id' };
  expect(plan(undefined, null)).toEqual(kept);
  expect(plan(undefined, null, ['website', 'name', 'row_key'])).not.toHaveProperty('unused', 'id');
});

test('a row that could not be read whole does not keep a column from being the key', () => {
  const torn = [...rows, { number: 3, line: 4, cells: ['x'], problem: 'A quote is never closed.' }];
  expect(planKey(jobWith(undefined), columns, torn, rowPlan, undefined).columns).toEqual(['id']);
});

test('a key that the list does not have is refused, with the nearest column', () => {
  expect(() => requireKey(jobWith(['id', 'crmid']), columns)).toThrow(
    'leads.yaml:7:8: the input has no column "crmid"; did you mean "crm_id"?',
  );
  expect(() => requireKey(jobWith(['id']), columns)).not.toThrow();
});

function jobWith(key: readonly string[] | undefined) {
  const job = testJob();
  return { ...job, input: { ...job.input, key }, placeOfColumn: () => 'leads.yaml:7:8' };
}
