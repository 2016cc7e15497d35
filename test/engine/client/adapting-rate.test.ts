import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/engine/client/open-client.ts';
import { openSharedRate } from '../../../src/engine/ledger/file/shared-rate.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { companyCall, noAbort, openTestClient, testKey } from '../../support/client-under-test.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const hit = { body: '{"id":"7"}' };
const throttled = { status: 429, headers: { 'retry-after': '1' } };

/** Asks one after the other, and tells what the rate became. */
async function askMany(client: Client, calls: number): Promise<void> {
  for (let call = 0; call < calls; call += 1) {
    expect(await client.send(companyCall, noAbort)).toMatchObject({ kind: 'hit', attempts: 1 });
  }
}

function ratesOf({ events }: ReturnType<typeof openTestClient>) {
  return events.filter((event) => 'perSecond' in event);
}

async function ask(reactions: Reaction | ((index: number) => Reaction), calls: number) {
  const react = typeof reactions === 'function' ? reactions : () => reactions;
  await using server = await openHostileServer((_request, index) => react(index));
  await using client = openTestClient(server.url, { attempts: 1 });
  await askMany(client, calls);
  const waitedMs = client.sleeps.reduce((sum, ms) => sum + ms, 0);
  return { waitedMs, rates: ratesOf(client), requests: server.seen.length };
}

describe('a job without a rate', () => {
  test('is given a rate by a throttle, once for all calls that were under way', async () => {
    const { rates, requests } = await ask((index) => (index === 0 ? throttled : hit), 5);
    expect(rates).toEqual([
      { type: 'rate.lowered', perSecond: 10, ceiling: 'none', reason: 'throttled' },
    ]);
    expect(requests).toBe(6);
  });
});

describe('the learned rate', () => {
  /** A client of a process of its own, as far as the ledger can tell. */
  function openProcess(url: string, ledger: string, rate: number) {
    const onError = (error: Error) => expect.unreachable(error.message);
    const sharedRate = openSharedRate(ledger, { service: url, key: testKey }, onError);
    return openTestClient(url, { rate, sharedRate, clock: systemClock });
  }

  test('is remembered when the process ends, without the key', async () => {
    using folder = temporaryFolder();
    const ledger = join(folder.path, 'ledger.db');
    await using server = await openHostileServer((_request, index) =>
      index === 0 ? throttled : hit,
    );
    {
      await using first = openProcess(server.url, ledger, 50);
      await askMany(first, 1);
    }
    await using second = openProcess(server.url, ledger, 50);
    await askMany(second, 2);
    const [lowered] = ratesOf(second);
    expect(lowered).toMatchObject({ type: 'rate.lowered', ceiling: 50, reason: 'throttled' });
    expect(readFileSync(`${ledger}-rate`).includes(testKey)).toBe(false);
    await using other = openProcess(`${server.url}/other`, ledger, 50);
    await askMany(other, 1);
    expect(ratesOf(other)).toEqual([]);
  });
});
