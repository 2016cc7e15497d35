import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { listOfDomains } from './sample-companies.ts';
import { endOf, openWorkplace, outputsIn, summaryOf, type Workplace } from './workplace.ts';

const rows = 40;
const service = { companies: 30, people: 3 };
const job = {
  name: 'leads',
  input: { path: 'leads.csv' },
  people: { seniority: [3, 4], pageSize: 2 },
  limits: { concurrency: 4 },
};

function prepare(workplace: Workplace): string {
  workplace.write('leads.csv', listOfDomains(rows));
  return workplace.write('job.yaml', JSON.stringify(job));
}

let untroubled: Record<string, string>;
let callsNeeded: number;

beforeAll(async () => {
  await using workplace = await openWorkplace(service);
  const finished = await workplace.run([prepare(workplace)]);
  expect(finished.exitCode, finished.stderr).toBe(0);
  untroubled = outputsIn(workplace.folder);
  callsNeeded = workplace.seen.length;
});

test.concurrent('a run that dies while it reads its list starts again and reads it whole', async () => {
  await using workplace = await openWorkplace({ companies: 3 });
  const blanks = Array.from({ length: 60_000 }, () => 'not a domain');
  workplace.write('big.csv', [listOfDomains(3), ...blanks].join('\n'));
  const identify = [{ column: 'website' }];
  const big = { name: 'big', input: { path: 'big.csv' }, identify };
  const path = workplace.write('job.yaml', JSON.stringify(big));
  const child = workplace.start([path]);
  const wal = join(workplace.folder, 'output/ledger.db-wal');
  const isReading = () => existsSync(wal) && statSync(wal).size > 300_000;
  while (child.exitCode === null && !isReading()) await delay(5);
  child.kill('SIGKILL');
  expect(await endOf(child)).toBe('SIGKILL');
  expect(workplace.seen).toHaveLength(0);
  const finished = await workplace.run([path]);
  expect(finished.exitCode, finished.stderr).toBe(0);
  expect(summaryOf(finished).rows).toMatchObject({ total: 60_003, matched: 3, invalid: 60_000 });
});

test.concurrent('a budget that is spent again and again comes to the same in the end', async () => {
  await using workplace = await openWorkplace(service);
  const path = prepare(workplace);
  let runs = 0;
  for (;;) {
    const before = workplace.seen.length;
    const { exitCode, stderr } = await workplace.run([path, '--max-calls', '60']);
    runs += 1;
    if (exitCode === 0) break;
    expect(exitCode, stderr).toBe(75);
    expect(workplace.seen.length - before).toBe(60);
  }
  expect(runs).toBe(Math.ceil(callsNeeded / 60));
  expect(outputsIn(workplace.folder)).toEqual(untroubled);
});
