import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { faultCase } from '../support/fault-case.ts';
import { killAtRequest, leaseOf, openPods } from '../support/snapshot/pods.ts';
import { expectToEnd, expectToStop } from '../support/trouble.ts';

const callsNeeded = 18;
const atStep = join(import.meta.dirname, '../support/at-step.ts');

describe('a pod that is killed', () => {
  faultCase(
    'at any request to its store loses nothing but calls in flight, and those since the snapshot with its disk',
    async (seed) => {
      await using pods = await openPods({ concurrency: 2, every: '1s' }, async () => {
        // So that snapshots are stored while calls are made.
        await delay(60);
        return undefined;
      });
      const victim = pods.pod();
      const running = victim.start({ env: leaseOf(3_000) });
      const request = 1 + seed.random(16);
      killAtRequest(pods.store, running, { request, isAfter: seed.random(2) === 1 });
      await running.ended;
      pods.store.misbehave = () => undefined;
      const paid = pods.asked().length;
      const isDiskLost = seed.random(2) === 1;
      const { snapshot } = await pods.control();
      const next = isDiskLost ? pods.pod() : victim;
      expectToEnd(await next.run());
      const calls = pods.asked().map(({ call }) => call);
      const known = snapshot?.answers ?? 0;
      const inFlight = victim.shape.concurrency;
      // Two calls at most were in flight at the kill; what the snapshot has is never asked again.
      const mostTwice = isDiskLost ? Math.max(0, paid - known) : inFlight;
      expect(new Set(calls).size).toBe(callsNeeded);
      expect(calls.length - callsNeeded).toBeLessThanOrEqual(mostTwice);
      const before = pods.asked().length;
      expectToEnd(await pods.pod().run());
      expect(pods.asked()).toHaveLength(before);
      expect(await pods.store.unfinishedUploads()).toEqual([]);
    },
    { long: 60 },
  );

  faultCase(
    'at any step of a restore has the old ledger or the new one',
    async (seed) => {
      await using pods = await openPods({ rows: 6, every: '1h' });
      const [victim, other] = [pods.pod(), pods.pod()];
      expectToEnd(await victim.run());
      expectToEnd(await other.run({ args: ['--refresh', 'all'] }));
      const restore = ['export', 'job.yaml'];
      const nodeOptions = ['--import', atStep];
      const env = { FAULT_STEP: String(1 + seed.random(45)), ...leaseOf(3_000) };
      await victim.run({ command: restore, nodeOptions, env });
      const checked = await victim.run({ command: ['ledger', 'check', 'job.yaml', '--json'] });
      expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true });
      expectToEnd(await victim.run({ command: restore }));
      const { snapshot } = JSON.parse(
        (await victim.run({ command: ['status', 'job.yaml', '--json'] })).stdout,
      );
      expect(snapshot).toMatchObject({ here: 'current', callsAtRisk: 0 });
      // The old ledger is beside the new one, whole.
      const [replaced = ''] = readdirSync(victim.folder).filter((name) =>
        name.includes('replaced'),
      );
      const old = ['ledger', 'check', '--ledger', join(victim.folder, replaced), '--json'];
      expect(JSON.parse((await victim.run({ command: old })).stdout)).toMatchObject({ ok: true });
      const paid = pods.asked().length;
      expectToEnd(await victim.run());
      expect(pods.asked()).toHaveLength(paid);
    },
    { short: 0, long: 45 },
  );
});

describe('a pod that is stopped for longer than its lease', () => {
  test('pays no more when it wakes, and its ledger is renamed beside itself and can be merged', async () => {
    const answers = Promise.withResolvers<void>();
    let isHeld = true;
    await using pods = await openPods({ concurrency: 2, every: '1h' }, async (_, index) => {
      // Answers of the first pod arrive when another has its lease.
      if (isHeld && index >= 4) await answers.promise;
      return undefined;
    });
    const first = pods.pod();
    const stopped = first.start({ env: leaseOf(10_000) });
    await pods.untilAsked(6);
    stopped.process.kill('SIGSTOP');
    isHeld = false;
    const second = pods.pod();
    expectToEnd(await second.run());
    const paid = pods.asked().length;
    expect(paid).toBe(6 + callsNeeded);
    answers.resolve();
    stopped.process.kill('SIGCONT');
    const ended = await stopped.ended;
    expectToStop(ended, 'LEASE_LOST', 'The answers to 6 calls since the last snapshot are only in');
    expect(pods.asked()).toHaveLength(paid);

    // The next command of that machine renames its ledger and restores what counts.
    const exported = await first.run({ command: ['export', 'job.yaml'] });
    const [, renamed = ''] = /ledger merge (\S+) job\.yaml/.exec(exported.stderr) ?? [];
    expect(renamed).toContain('ledger.db.replaced-');
    const merge = (from: string, ...args: string[]) =>
      first.run({ command: ['ledger', 'merge', from, 'job.yaml', ...args] });
    expect(JSON.parse((await merge(renamed, '--json')).stdout)).toMatchObject({ taken: 6 });
    const stored = `${pods.address}${(await pods.objects())[1]}`;
    expect((await merge(stored)).stdout).toMatch(/taken +0\n/);
    expectToStop(
      await merge(`${stored}0`),
      'USAGE',
      `${stored}0 cannot be used: it does not exist`,
    );
    expect((await pods.control()).snapshot?.answers).toBe(callsNeeded + 6);
  });
});

faultCase(
  'two jobs with one ledger and two snapshots are refused before they pay',
  async () => {
    await using pods = await openPods({ rows: 6, every: '1h' });
    const pod = pods.pod();
    const job = JSON.parse(readFileSync(join(pod.folder, 'job.yaml'), 'utf8'));
    const ledger = { ...job.ledger, snapshot: `${pods.address}-2` };
    writeFileSync(join(pod.folder, 'second.yaml'), JSON.stringify({ ...job, name: 'two', ledger }));
    expectToEnd(await pod.run());
    expectToEnd(await pod.run({ command: ['run', 'second.yaml', '--refresh', 'all'] }));
    const paid = pods.asked().length;
    const refused = await pod.run();
    expectToStop(refused, 'SNAPSHOT_MISMATCH', `was last stored as ${pods.address}-2.copy-`);
    expect(pods.asked()).toHaveLength(paid);
    expect((await pods.control()).holder).toBeNull();
  },
  { short: 0 },
);

faultCase(
  'a lease that was removed stops a pod with an empty disk, which would pay for all again',
  async () => {
    await using pods = await openPods({ rows: 6, every: '1h' });
    const first = pods.pod();
    expectToEnd(await first.run());
    const paid = pods.asked().length;
    await pods.removeLease();
    const next = pods.pod();
    // A refusal leaves no lease object by which the second start would take the place for a new one.
    for (const command of [undefined, ['export', 'job.yaml']]) {
      const refused = await next.run(command && { command });
      expectToStop(refused, 'SNAPSHOT_DAMAGED', `${pods.address}.copy-`);
    }
    const status = await next.run({ command: ['status', 'job.yaml', '--json'] });
    expect(JSON.parse(status.stdout).snapshot.trouble).toContain('.lease is missing');
    // A disk that has all of it goes on, and makes the object again.
    expectToEnd(await first.run());
    expectToEnd(await next.run());
    expect(pods.asked()).toHaveLength(paid);
  },
  { short: 0 },
);
