import type { ChildProcess } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { listOfDomains } from './sample-companies.ts';
import { endOf, openWorkplace, outputsIn, summaryOf, type Workplace } from './workplace.ts';

const rounds = Number(process.env.DOSSIER_CRASH_ROUNDS ?? 1);
const kills = 4;
const concurrency = 4;
const rows = 40;
const service = { companies: 30, people: 3 };
const job = {
  name: 'leads',
  input: { path: 'leads.csv' },
  people: { seniority: [3, 4], pageSize: 2 },
  limits: { concurrency },
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

test.concurrent.each(Array.from({ length: rounds }, () => Math.floor(Math.random() * 2 ** 31)))(
  'killed again and again, a run ends as if nothing had been (seed %i)',
  async (seed) => {
    let state = seed;
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state >>> 8) % below;
    };
    let child: ChildProcess | undefined;
    let killAt = Number.POSITIVE_INFINITY;
    let killAfterMs = 0;
    await using workplace = await openWorkplace(service, (_, index) => {
      if (index === killAt) setTimeout(() => child?.kill('SIGKILL'), killAfterMs);
      return undefined;
    });
    const path = prepare(workplace);
    const startAndKill = async (calls: number, waitMs: number) => {
      killAt = workplace.seen.length + calls;
      killAfterMs = waitMs;
      child = workplace.start([path]);
      return await endOf(child);
    };
    // While it starts and reads, while it calls, and while it writes its files.
    const early = setTimeout(() => child?.kill('SIGKILL'), random(1_500));
    await startAndKill(callsNeeded, 0);
    clearTimeout(early);
    for (const share of [3, 2]) {
      const callsLeft = callsNeeded - new Set(workplace.asked()).size;
      await startAndKill(random(Math.ceil(callsLeft / share)), random(10));
    }
    await startAndKill(callsNeeded - new Set(workplace.asked()).size - 1, random(400));

    killAt = Number.POSITIVE_INFINITY;
    const finished = await workplace.run([path]);
    expect(finished.exitCode, finished.stderr).toBe(0);
    expect(outputsIn(workplace.folder)).toEqual(untroubled);

    using ledger = openLedger(join(workplace.folder, 'output/ledger.db'));
    const doubtful = ledger.calls.doubtful(ledger.runs.newest('leads')?.id ?? 0);
    expect(doubtful.length).toBeLessThanOrEqual(kills * 2 * concurrency);
    const distinct = new Set(workplace.asked()).size;
    expect(distinct).toBe(callsNeeded);
    expect(workplace.seen.length - distinct).toBeLessThanOrEqual(kills * 2 * concurrency);
  },
);

describe('a signal', () => {
  test.concurrent.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s saves what is on the wire and ends with %i', async (signal, exitCode) => {
    let child: ChildProcess | undefined;
    await using workplace = await openWorkplace(service, (_, index) => {
      if (index === 10) child?.kill(signal);
      return undefined;
    });
    const path = prepare(workplace);
    child = workplace.start([path]);
    expect(await endOf(child)).toBe(exitCode);
    expect(workplace.seen.length).toBeLessThan(callsNeeded);
    const finished = await workplace.run([path]);
    expect(finished.exitCode, finished.stderr).toBe(0);
    expect(workplace.asked()).toHaveLength(callsNeeded);
    expect(outputsIn(workplace.folder)).toEqual(untroubled);
  });

  test.concurrent('a second one leaves at once, and nothing that was answered is lost', async () => {
    let isSilent = true;
    let child: ChildProcess | undefined;
    await using workplace = await openWorkplace(service, (_, index) => {
      if (!isSilent || index < 10) return undefined;
      if (index === 10) {
        child?.kill('SIGINT');
        setTimeout(() => child?.kill('SIGINT'), 300);
      }
      return { neverAnswer: true };
    });
    const path = prepare(workplace);
    child = workplace.start([path]);
    expect(await endOf(child)).toBe(130);
    isSilent = false;
    const finished = await workplace.run([path]);
    expect(finished.exitCode, finished.stderr).toBe(0);
    expect(outputsIn(workplace.folder)).toEqual(untroubled);
    expect(workplace.seen.length).toBeLessThanOrEqual(callsNeeded + 2 * concurrency);
  });
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
