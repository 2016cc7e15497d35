import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { faultCase } from '../support/fault-case.ts';
import { expectNothingLost } from '../support/oracle.ts';
import {
  reached,
  releasedShape,
  unpackLedger,
  writeReleasedLedger,
} from '../support/released-ledger.ts';
import { openWorld } from '../support/world.ts';

const folder = join(import.meta.dirname, '../ledgers');
const kept = readdirSync(folder).filter((name) => name.endsWith('.db.gz'));

/** All calls of the job, as an untroubled run makes them. */
const callsOfJob = 204;

async function expectToGoOn(path: string): Promise<void> {
  await using world = await openWorld(releasedShape);
  const answers = await unpackLedger(path, world);
  expect(answers).toBeGreaterThan(0);
  const { by, stderr } = await world.run(reached(world));
  expect(by, stderr).toBe(0);
  expect(world.asked().length, 'calls').toBe(callsOfJob - answers);
  await expectNothingLost(world);
}

describe('a ledger with a run half-way', () => {
  faultCase('goes on when it was written by this version', async () => {
    using aside = temporaryFolder();
    const path = join(aside.path, 'ledger.db.gz');
    await writeReleasedLedger(path);
    await expectToGoOn(path);
  });

  for (const name of kept) {
    faultCase(`goes on when it was written by ${name.replace('.db.gz', '')}`, () =>
      expectToGoOn(join(folder, name)),
    );
  }
});
