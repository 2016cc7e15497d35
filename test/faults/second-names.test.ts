import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { testIf } from '../support/needs.ts';
import { canMount } from './support/disks.ts';
import { expectToEnd } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { expectTrouble } from './support/trouble.ts';
import { openWorld, type Running, type World } from './support/world.ts';

interface BusyWorld extends AsyncDisposable {
  readonly world: World;
  readonly first: Running;
  /** Lets the service answer, and sees that the run which was calling has paid for each call once. */
  expectUndisturbed(): Promise<void>;
}

/** Longer than a refused command takes on a busy machine; then one that is not refused goes on. */
const silenceMs = 45_000;

/** A world with a run that has asked, and whose answers wait. */
async function openBusyWorld(): Promise<BusyWorld> {
  const answering = Promise.withResolvers<void>();
  const world = await openWorld({}, async () => {
    await answering.promise;
    return undefined;
  });
  const silence = setTimeout(() => answering.resolve(), silenceMs);
  const first = world.start();
  await world.untilAsked(2);
  return {
    world,
    first,
    async expectUndisturbed() {
      answering.resolve();
      expectToEnd(await first.ended);
      await expectNothingLost(world);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(silence);
      await world[Symbol.asyncDispose]();
    },
  };
}

const runAs = (ledger: string) => ({ args: ['--ledger', ledger] });

describe('a ledger under two names', () => {
  faultCase('by a symbolic link is one ledger, with one lock', async () => {
    await using busy = await openBusyWorld();
    const { world } = busy;
    symlinkSync('ledger.db', join(world.folder, 'linked.db'));
    symlinkSync('.', join(world.folder, 'linked'));
    expectTrouble(await world.run(runAs('linked.db')), 'JOB_BUSY');
    expectTrouble(await world.run(runAs('linked/ledger.db')), 'JOB_BUSY');
    await busy.expectUndisturbed();
  });

  faultCase('by a hard link is refused under both until one is left', async () => {
    await using busy = await openBusyWorld();
    const { world } = busy;
    const other = join(world.folder, 'linked.db');
    linkSync(world.ledger, other);
    expectTrouble(await world.run(runAs('linked.db')), 'LEDGER_MISPLACED');
    const status = { command: ['status', '--ledger', 'ledger.db'] };
    expectTrouble(await world.run(status), 'LEDGER_MISPLACED');
    rmSync(other);
    await busy.expectUndisturbed();
  });

  faultCase(
    'by a mount of the file alone is refused',
    async () => {
      await using busy = await openBusyWorld();
      const { world } = busy;
      const other = join(world.folder, 'mounted here.db');
      writeFileSync(other, '');
      execFileSync('mount', ['--bind', world.ledger, other]);
      try {
        expectTrouble(await world.run(runAs('mounted here.db')), 'LEDGER_MISPLACED');
      } finally {
        execFileSync('umount', ['-l', other]);
      }
      await busy.expectUndisturbed();
    },
    { where: testIf(canMount, 'this user may not mount a file') },
  );
});

describe('a lock file', () => {
  const locksOf = ({ folder }: World) =>
    readdirSync(folder).filter((name) => name.endsWith('.lock'));

  faultCase('that is removed during a run is put back, and is gone after the run', async () => {
    await using busy = await openBusyWorld();
    const { world } = busy;
    expect(locksOf(world)).toHaveLength(1);
    for (const name of locksOf(world)) rmSync(join(world.folder, name));
    // A process that starts meanwhile would take the job over, as another case shows.
    await vi.waitUntil(() => locksOf(world).length === 1, { timeout: 30_000 });
    expectTrouble(await world.run(), 'JOB_BUSY');
    await busy.expectUndisturbed();
    expect(locksOf(world)).toEqual([]);
  });
});
