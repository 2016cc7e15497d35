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
