import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call, CallResult } from '../../src/core/contract/call.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import { hitOf } from '../support/answers.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver, testJob } from '../support/test-job.ts';
import { exportOf, runNight } from './nights.ts';

type Fields = Readonly<Record<string, unknown>>;

const byDefault = Object.values(Expect.parse({})).filter((bound) => bound !== undefined);

const siteOf = (call: Call) => (call.operation === 'company' ? call.identifier.value : '');
const good = { name: 'Acme', employee_count: 940, locations: ['Perth'] };
const retyped = { name: ['Acme'], employee_count: { exact: 940 }, locations: ['Perth'] };

const answering =
  (fields: Fields) =>
  (call: Call): CallResult => {
    const site = siteOf(call);
    return hitOf({ id: site, fqdn: site, ...fields }, site);
  };

/** Fetches each company again every night. */
function jobIn(folder: string, rows = 20, first = 0, changes: Partial<ResolvedJob> = {}) {
  const sites = Array.from({ length: rows }, (_, row) => `site${first + row}.com.au`);
  const reuse = { ...testJob().reuse, companiesMs: 0 };
  return jobOver(folder, sites, { expect: byDefault, reuse, ...changes });
}

const lossOfTwo = {
  expectation: 'fillDrop',
  expected: '<= 50%',
  found: '100%',
  message:
    'fillDrop: 100% (name: filled in 100% of 20 companies before, in 0% now; employee_count: filled in 100% of 20 companies before, in 0% now), 50 points above the expected <= 50%',
  fields: [
    { field: 'name', before: 100, now: 0 },
    { field: 'employee_count', before: 100, now: 0 },
  ],
};

test('a service that changes the types of fields replaces no result', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1, answering(good));
  const night = await runNight(job, 2, answering(retyped));
  expect(night).toMatchObject({ exitCode: 4, held: [lossOfTwo] });
  expect(manifestIn(job.output.path)).toMatchObject({ run: 'r1' });
  expect(manifestIn(join(job.output.path, 'held-r2'))).toMatchObject({ held: [lossOfTwo] });
});

test('numbers written as text are values, and empty texts and lists are none', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1, answering(good));
  const asText = { ...good, employee_count: '940' };
  expect((await runNight(job, 2, answering(asText))).held).toBeNull();
  const { held } = await runNight(job, 3, answering({ ...good, name: '', locations: [] }));
  expect(held?.[0]?.fields?.map(({ field }) => field)).toEqual(['name', 'locations']);
});

test('nine companies, new companies and a job that allows any loss are not held', async () => {
  using folder = temporaryFolder();
  const lifted = [Expect.shape.fillDrop.unwrap().parse('<= 100%')];
  await runNight(jobIn(folder.path, 9), 1, answering(good));
  expect((await runNight(jobIn(folder.path, 9), 2, answering(retyped))).held).toBeNull();
  expect((await runNight(jobIn(folder.path, 40), 3, answering(retyped))).held).toBeNull();
  await runNight(jobIn(folder.path, 40), 4, answering(good));
  const allowed = jobIn(folder.path, 40, 0, { expect: lifted });
  expect((await runNight(allowed, 5, answering(retyped))).held).toBeNull();
});

test('a held loss stays held while its answers are reused, and one accept publishes it', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path);
  await runNight(job, 1, answering(good));
  await runNight(job, 2, answering(retyped));
  const reusing = { ...job, reuse: testJob().reuse };
  const again = await runNight(reusing, 3, answering(retyped));
  expect(again).toMatchObject({ asked: [], exitCode: 4, held: [lossOfTwo] });
  await exportOf(job, { accept: true });
  expect(manifestIn(job.output.path)).toMatchObject({ run: 'r3', held: null });
  expect((await runNight(reusing, 4)).held).toBeNull();
  expect((await runNight(job, 5, answering(retyped))).held).toBeNull();
});

test('an accepted loss does not hold later nights, until the field has recovered', async () => {
  using folder = temporaryFolder();
  const nightOf = (night: number, first: number, rows: number, fields: Fields) =>
    runNight(jobIn(folder.path, rows, first), night, answering(fields));
  await nightOf(1, 0, 40, good);
  // Each night fetches ten companies whose last answers are from the first night.
  expect((await nightOf(2, 0, 10, retyped)).held).toHaveLength(1);
  await exportOf(jobIn(folder.path, 10), { accept: true });
  expect((await nightOf(3, 10, 10, retyped)).held).toBeNull();
  expect((await nightOf(4, 20, 10, good)).held).toBeNull();
  expect((await nightOf(5, 30, 10, retyped)).held?.[0]?.fields).toHaveLength(2);
});

test('values of the wrong type are counted for each field, also when the result is the same', async () => {
  using folder = temporaryFolder();
  const job = { ...jobIn(folder.path, 12), reuse: testJob().reuse };
  const odd = { ...retyped, nextGen: { web_traffic: 'much' }, tagline: [], phones: '', own: 1 };
  const warnings = [
    ['name', 'text'],
    ['employee_count', 'a whole number'],
    ['nextGen.web_traffic', 'an object'],
  ].map(([name, expected]) => ({
    kind: 'misfit',
    name,
    message: `${name}: 12 values did not fit (expected ${expected})`,
  }));
  await runNight(job, 1, answering(odd));
  expect(manifestIn(job.output.path)).toMatchObject({ warnings });
  const again = await runNight(job, 2, answering(odd));
  expect(again.exported).toMatchObject({ isSame: true, warnings });
  expect(manifestIn(job.output.path)).toMatchObject({ run: 'r2', warnings });
});
