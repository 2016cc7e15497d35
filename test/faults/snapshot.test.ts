import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { faultCase } from './support/fault-case.ts';
import { companiesOf, leaseOf, openPods, type Pods } from './support/snapshot/pods.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';
import { worldKey } from './support/world.ts';

/** Rows of the list that need a call of their own, those of a second candidate included. */
const callsNeeded = 18;

/** Everything that was paid for is in the store: a machine with an empty disk pays nothing. */
async function expectAllStored(pods: Pods): Promise<string> {
  const before = pods.asked().length;
  const machine = pods.pod();
  expectToEnd(await machine.run());
  expect(pods.asked()).toHaveLength(before);
  return companiesOf(machine);
}

describe('a ledger with a snapshot', () => {
  faultCase(
    'serves one pod at a time, and costs one that loses its disk the calls since the last snapshot',
    async () => {
      let isHeld = true;
      await using pods = await openPods({ concurrency: 1, every: '1s' }, (_, index) =>
        isHeld && index >= 8 ? { neverAnswer: true } : undefined,
      );
      const first = pods.pod().start({ env: leaseOf(6_000) });
      await pods.untilAsked(9);
      const second = pods.pod();
      for (const command of [undefined, ['lookup', 'a.com', '--job', 'job.yaml']]) {
        const ended = await second.run(command && { command });
        expectToStop(ended, 'JOB_BUSY', `in use by leads on `);
        expect(ended.stderr).toContain(`(process ${first.process.pid}) since 20`);
      }
      const info = await second.run({ command: ['status', 'job.yaml', '--json'] });
      expect(JSON.parse(info.stdout).snapshot.holder).toMatchObject({ pid: first.process.pid });
      expect(pods.asked()).toHaveLength(9);

      const stored = async () => (await pods.control()).snapshot !== null;
      await expect.poll(stored, { timeout: 60_000 }).toBe(true);
      first.process.kill('SIGKILL');
      await first.ended;
      isHeld = false;
      const { snapshot } = await pods.control();
      expect(snapshot?.answers).toBeGreaterThan(0);
      expectToEnd(await pods.pod().run());
      expect(pods.asked().length - 9).toBe(callsNeeded - (snapshot?.answers ?? 0));
      await expectAllStored(pods);
    },
  );

  faultCase(
    'is stored and released at SIGTERM, and the next pod goes on at once',
    async () => {
      let isHeld = true;
      const stopped = Promise.withResolvers<void>();
      await using pods = await openPods({ concurrency: 2, every: '1h' }, async (_, index) => {
        if (isHeld && index >= 6) await stopped.promise;
        return undefined;
      });
      const args = ['--log-format', 'json', '--log-level', 'info'];
      const first = pods.pod().start({ args });
      await pods.untilAsked(8);
      first.process.kill('SIGTERM');
      isHeld = false;
      await delay(200);
      stopped.resolve();
      const ended = await first.ended;
      expect(ended.by, ended.stderr).toBe(143);
      const events = ended.stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(events.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['lease.taken', 'snapshot.stored', 'run.ended']),
      );
      expect(events.find(({ event }) => event === 'snapshot.stored')).toMatchObject({
        ms: expect.any(Number),
      });
      expect((await pods.control()).holder).toBeNull();
      expectToEnd(await pods.pod().run());
      // No call was made twice.
      expect(pods.asked()).toHaveLength(callsNeeded);
    },
    { short: 0 },
  );
});

describe('a store', () => {
  test('that refuses or ignores conditions ends a run before it pays', async () => {
    await using pods = await openPods();
    const wrong = { AWS_SECRET_ACCESS_KEY: 'not-the-secret-key' };
    const refused = await pods.pod().run({ env: wrong });
    expectToStop(refused, 'STORE_REFUSED');
    expect(pods.asked()).toHaveLength(0);
    for (const secret of [pods.store.secretKey, 'not-the-secret-key', worldKey]) {
      expect(refused.stdout + refused.stderr).not.toContain(secret);
    }
    await using lax = await openPods({ heedsConditions: false });
    expectToStop(await lax.pod().run(), 'STORE_UNCONDITIONAL');
    expect(lax.asked()).toHaveLength(0);
  });
});
