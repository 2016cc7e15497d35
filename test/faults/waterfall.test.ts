import { describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { Reaction } from '../support/hostile-server.ts';
import { faultCase } from './support/fault-case.ts';
import { findSecret } from './support/find-secret.ts';
import {
  expectAskedInTurn,
  expectCheaperFirst,
  expectOthersDone,
  firstSetup,
  type Host,
  hosts,
  openServicesWorld,
  type Setup,
} from './support/services-world.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';

const rows = 30;
/** Only an unfinished run uses its answers again. */
const noReuse = 'reuse: { companies: 0s, misses: 0s, people: 0s }\n';

/** One service has a trouble from some request on, for the rest of the start. */
const troubles: readonly [trouble: string, reaction: Reaction, code: ErrorCode][] = [
  ['is down', { reset: 'before head' }, 'SERVICE_DOWN'],
  ['answers with an error', { status: 503, body: '{}' }, 'SERVICE_DOWN'],
  ['throttles for long', { status: 429, headers: { 'retry-after': '600' } }, 'THROTTLED_TOO_LONG'],
  ['refuses the key', { status: 401, body: '{"error":"no such key"}' }, 'KEY_REFUSED'],
  ['has no credit left', { status: 402, body: '{"error":"no credit"}' }, 'QUOTA_SPENT'],
];

/** What may differ at the next start of an unfinished run. */
const changes: readonly [change: string, before: Partial<Setup>, after: Partial<Setup>][] = [
  ['a service added', { order: ['ours', 'main'] }, { order: hosts }],
  ['a cheaper service added', { order: ['main', 'second'] }, { order: hosts }],
  ['a service removed', {}, { order: ['ours', 'second'] }],
  ['all services but one removed', {}, { order: ['main'] }],
  ['another order', {}, { order: ['second', 'ours', 'main'] }],
  ['another price', {}, { price: 3 }],
  ['a service renamed', {}, { order: ['ours', 'prime', 'second'], renamed: { prime: 'main' } }],
  ['a key rotated', {}, { keys: { ...firstSetup.keys, main: 'new-key-of-main' } }],
  ['rules of an adapter edited', { adapter: 'record: data\nfields: { id: number }\n' }, {}],
];

/** Left to `npm run faults`. */
const mildChanges = ['a cheaper service added', 'all services but one removed', 'another price'];

describe('of several services', () => {
  for (const [trouble, reaction, code] of troubles) {
    faultCase(
      `one ${trouble}: the others go on, no dearer one is asked, and the next start asks the rest`,
      async (seed) => {
        await using world = await openServicesWorld(rows, { hasPeople: seed.random(2) === 0 });
        const host = hosts[seed.random(hosts.length)] as Host;
        const good = seed.random(8);
        world.trouble({ [host]: (index: number) => (index >= good ? reaction : undefined) });
        const first = await world.run();
        // Few failures after good answers fail their rows; the next start asks them again.
        if (first.by === 3 && code === 'SERVICE_DOWN') expectToEnd(first, 3);
        else expectToStop(first, code);
        expectCheaperFirst(world);
        expectOthersDone(world, host);
        world.trouble({});
        expectToEnd(await world.run());
        expectAskedInTurn(world);
      },
      { short: trouble === 'answers with an error' ? 0 : 1, long: 12 },
    );
  }

  faultCase('a pause that one demands does not slow the others', async () => {
    await using world = await openServicesWorld(rows);
    const pause = { status: 429, headers: { 'retry-after': '2' } };
    let until = 0;
    world.trouble({
      main: () => {
        until ||= performance.now() + 1_900;
        return performance.now() < until ? pause : undefined;
      },
    });
    expectToEnd(await world.run());
    const lastOf = (host: Host) => world.asked.findLast((one) => one.host === host)?.atMs ?? 0;
    expect(lastOf('ours')).toBeLessThan(until - 1_000);
    expect(lastOf('main')).toBeGreaterThan(until);
    expectAskedInTurn(world);
  });

  for (const [change, before, after] of changes) {
    faultCase(
      `an unfinished run goes on after ${change}`,
      async (seed) => {
        await using world = await openServicesWorld(rows, { hasPeople: seed.random(2) === 0 });
        const job = seed.random(2) === 0 ? '' : noReuse;
        world.write({ ...before, job });
        const kills = seed.value % 4 === 0 ? 1 + seed.random(2) : 0;
        // Fewer questions than any run has: without reuse, a finished one would be asked again.
        for (let kill = 0; kill < kills; kill += 1) await world.killAfter(seed.random(rows));
        // Enough for a hit: misses before it prove nothing, and are asked for again.
        const most = String(8 + seed.random(rows - 8));
        if (kills === 0) expect((await world.run(['--max-calls', most])).by).toBeOneOf([3, 69, 75]);
        world.write({ ...firstSetup, ...after, job });
        expectToEnd(await world.run());
        expectAskedInTurn(world, { kills });
      },
      { short: mildChanges.includes(change) ? 0 : 1, long: 12 },
    );
  }

  faultCase(
    'a key in an address is in no file and no stream, however the service echoes it',
    async () => {
      await using world = await openServicesWorld(rows);
      const echoes = (path: string): Reaction[] => [
        { status: 500, body: JSON.stringify({ error: { message: `GET ${path}` } }) },
        { status: 400, body: JSON.stringify({ error: decodeURIComponent(path) }) },
        { status: 302, headers: { location: path } },
        { body: JSON.stringify({ data: { number: 'x', title: path, [path]: [path] } }) },
      ];
      world.trouble({ second: (index, { path }) => echoes(path)[index % 4] });
      const args = ['--log-level', 'debug', '--log-format', 'json'];
      const runs = [await world.run(args), await world.run([...args, '--json'])];
      expect(world.asked.some(({ path }) => path.includes('api_key='))).toBe(true);
      expect(await findSecret(firstSetup.keys.second, world, runs)).toEqual([]);
    },
  );

  faultCase('two processes never share the last request of a budget', async (seed) => {
    // A miss without such words proves nothing before the first hit, and is asked for again.
    await using world = await openServicesWorld(rows, { saysMiss: true });
    const most = 3 + seed.random(8);
    world.write({ extra: { main: `budget: { perDay: ${most} }` } });
    world.writeOther();
    const both = [{ isAlone: true }, { isAlone: true, job: 'other.yaml' }].map((one) =>
      world.run([], one),
    );
    for (const ended of await Promise.all(both)) expectToStop(ended, 'BUDGET_SPENT');
    const paid = () => world.asked.filter(({ host }) => host === 'main').length;
    expect(paid()).toBe(most);
    expectCheaperFirst(world);
    // Another key or job changes nothing, and neither does another order.
    world.write({ keys: { ...firstSetup.keys, main: 'new-key-of-main' } });
    expectToStop(await world.run(), 'BUDGET_SPENT');
    expect(paid()).toBe(most);
    world.write({ extra: {} });
    expectToEnd(await world.run());
    expectToEnd(await world.run([], { job: 'other.yaml' }));
    expectAskedInTurn(world);
  });

  faultCase(
    'a run is killed between a miss and the next question, with other services at each start',
    async (seed) => {
      await using world = await openServicesWorld(60, { hasPeople: seed.random(2) === 0 });
      const kills = 1 + seed.random(3);
      const job = seed.random(2) === 0 ? '' : noReuse;
      for (let kill = 0; kill < kills; kill += 1) {
        const [, before, after] = seed.pick(changes);
        world.write({ ...firstSetup, ...seed.pick([{}, before, after]), job });
        await world.killAfter(seed.random(50));
      }
      world.write({ ...firstSetup, job });
      expectToEnd(await world.run());
      expectAskedInTurn(world, { kills });
    },
    { long: 40 },
  );
});
