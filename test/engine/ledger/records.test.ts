import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Ledger, openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf, type TestRun } from '../../support/test-run.ts';
import { answerOf, domains, type SmallWorld } from '../queue/small-world.ts';

const people = { '3': 2 };
const world: SmallWorld = {
  companies: [0, 1, 2].map((number) => ({
    ...{ id: `c_${number}`, abn: undefined, slug: undefined, people },
    fqdn: domains[number],
  })),
  others: {},
  pageLimit: 9,
  saysTotal: true,
};
const search = { seniority: '3', department: undefined, position: undefined };
const job = testJob({
  identify: [{ column: 'website', as: 'fqdn' }],
  people: { searches: [search], pageSize: 9, maxPerCompany: 9 },
});

async function settledRun(ledger: Ledger, sites: readonly string[]): Promise<TestRun> {
  const list = listOf(
    ['website'],
    sites.map((site) => [site]),
  );
  const given = await ingestTestRun(ledger, job, list);
  await completeTestRun(given, { send: async (call) => answerOf(world, call) });
  return given;
}

const [zero = '', one = ''] = domains;

test('rows come in their order, companies in the order of their first row', async () => {
  using ledger = openLedger(':temporary:');
  const sites = [one, 'nonsense', zero, one, 'absent.com.au'];
  const { run } = await settledRun(ledger, sites);
  const records = ledger.records.of(run, () => expect.unreachable());
  expect([...records.rows()].map(({ number, status }) => [number, status])).toEqual([
    [1, 'matched'],
    [2, 'invalid'],
    [3, 'matched'],
    [4, 'matched'],
    [5, 'not_found'],
  ]);
  expect([...records.people()].map(({ companyId, rows }) => [companyId, rows])).toEqual([
    ['c_1', [1, 4]],
    ['c_0', [3]],
  ]);
});

test('a row that is not settled yet is shown as open', async () => {
  using ledger = openLedger(':temporary:');
  const { run } = await ingestTestRun(ledger, job, listOf(['website'], [[zero]]));
  const [row] = ledger.records.of(run, () => expect.unreachable()).rows();
  expect(row).toMatchObject({ status: 'open', reason: null, fetchedAt: null, identifier: zero });
});

test('damaged bytes are reported and never shown', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  using ledger = openLedger(path);
  const { run } = await settledRun(ledger, [zero, one]);
  const db = new Database(path);
  db.exec(`update answer set checksum = checksum + 1 where company_id = 'c_0'`);
  db.exec(`update answer set body_length = body_length + 1 where company_id is null`);
  db.close();

  const damaged = new Set<number>();
  const records = ledger.records.of(run, (answerId) => damaged.add(answerId));
  expect([...records.rows()]).toMatchObject([
    { status: 'failed', reason: 'damaged_answer', company: undefined },
    { status: 'matched' },
  ]);
  expect(damaged.size).toBe(1);
  const pages = [...records.people()].flatMap(({ searches }) => searches).flatMap((s) => s.pages);
  expect(pages.flatMap((page) => page.people)).toEqual([]);
  expect(damaged.size).toBe(3);
});
