import { execFileSync } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { canMount } from '../support/disks.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectNothingLost } from '../support/oracle.ts';
import { expectToEnd, expectTrouble } from '../support/trouble.ts';
import { openWorld } from '../support/world.ts';

faultCase('a ledger in use is refused under every other name', async () => {
  const answering = Promise.withResolvers<void>();
  await using world = await openWorld({}, async () => {
    await answering.promise;
    return undefined;
  });
  const first = world.start();
  await world.untilAsked(2);
  const pathOf = (name: string) => join(world.folder, name);
  const runAs = (ledger: string) => world.run({ args: ['--ledger', ledger] });
  // A symbolic link leads to the same ledger, with the same lock.
  symlinkSync('ledger.db', pathOf('linked.db'));
  symlinkSync('.', pathOf('linked'));
  expectTrouble(await runAs('linked.db'), 'JOB_BUSY');
  expectTrouble(await runAs('linked/ledger.db'), 'JOB_BUSY');
  if (canMount) {
    const other = pathOf('mounted.db');
    writeFileSync(other, '');
    execFileSync('mount', ['--bind', world.ledger, other]);
    try {
      expectTrouble(await runAs('mounted.db'), 'LEDGER_MISPLACED');
    } finally {
      execFileSync('umount', ['-l', other]);
    }
  }
  const locks = () => readdirSync(world.folder).filter((name) => name.endsWith('.lock'));
  expect(locks()).toHaveLength(1);
  expectTrouble(await world.run(), 'JOB_BUSY');
  answering.resolve();
  expectToEnd(await first.ended);
  await expectNothingLost(world);
  expect(locks()).toEqual([]);
});
