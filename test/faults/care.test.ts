import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { examineLedger } from '../../src/ledger/care/examine-ledger.ts';
import { faultCase } from './support/fault-case.ts';
import type { Seed } from './support/seed.ts';
import { openWorld, type World } from './support/world.ts';

function expectWhole(path: string): void {
  expect(examineLedger(path).findings, path).toEqual([]);
}

/** Starts a command and kills it at a moment between its start and its end. */
async function startAndKill(world: World, command: readonly string[], seed: Seed): Promise<void> {
  const { process: child, ended } = world.start({ command });
  await Promise.race([delay(150 + seed.random(900)), ended]);
  child.kill('SIGKILL');
  await ended;
}

describe('kill -9 of dossier ledger', () => {
  faultCase(
    'backup leaves the ledger whole, and a whole backup or the one before',
    async (seed) => {
      await using world = await openWorld();
      expect((await world.run()).by).toBe(0);
      const target = join(world.folder, 'safe', 'copy.db');
      const command = ['ledger', 'backup', target, '--force', '--ledger', world.ledger];
      for (let kill = 0; kill < 3; kill += 1) {
        await startAndKill(world, command, seed);
        expectWhole(world.ledger);
        if (existsSync(target)) expectWhole(target);
      }
      const { by, stderr } = await world.run({ command });
      expect(by, stderr).toBe(0);
      expectWhole(target);
      // What the killed ones have left is gone.
      expect(readdirSync(join(world.folder, 'safe'))).toEqual(['copy.db']);
    },
    { rounds: { short: 1, long: 20 } },
  );
});
