import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf } from '../journeys/sample-companies.ts';
import { faultCase } from './support/fault-case.ts';
import { malformedLists } from './support/malformed-lists.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';
import { type Ended, openWorld, type World } from './support/world.ts';

describe('lists of every make', () => {
  faultCase(
    'a malformed list is read row by row, or refused by name before a call is made',
    async (seed) => {
      const list = malformedLists[seed.value % malformedLists.length];
      if (!list) throw new Error('no list');
      await using world = await openWorld({ people: undefined });
      writeFileSync(join(world.folder, list.file), list.content(seed));
      const columns = list.file.endsWith('csv') ? ['page', 'website'] : ['website'];
      writeJob(world, list.file, columns);
      const ended = await world.run();
      if (typeof list.ends === 'string') {
        expectToStop(ended, list.ends, list.file);
        expect(world.asked()).toHaveLength(0);
        return;
      }
      expectToEnd(ended);
      const total = list.ends.matched + list.ends.invalid;
      expect(countsOf(ended), list.name).toMatchObject({
        ...list.ends,
        not_found: 0,
        failed: 0,
        total,
      });
    },
    { long: malformedLists.length },
  );

  faultCase(
    'a cell of 100 MB and 10,000 columns are read with little memory',
    async () => {
      await using world = await openWorld({ people: undefined });
      writeJob(world, 'list.csv', ['website']);
      const nodeOptions = ['--max-old-space-size=128'];
      for (const quote of ['', '"']) {
        const cell = `${quote}${'x'.repeat(100 * 1024 * 1024)}${quote}`;
        const rows = [`${domainOf(1)},`, `${domainOf(2)},${cell}`, `${domainOf(3)},`];
        writeFileSync(join(world.folder, 'list.csv'), ['website,note', ...rows].join('\n'));
        const ended = await world.run({ nodeOptions });
        expectToEnd(ended);
        expect(countsOf(ended)).toMatchObject({ matched: 2, invalid: 1 });
      }
      const names = Array.from({ length: 9_999 }, (_, index) => `column ${index}`).join(',');
      const rows = Array.from({ length: 50 }, (_, row) => `${domainOf(row)}${',x'.repeat(9_999)}`);
      writeFileSync(join(world.folder, 'list.csv'), [`website,${names}`, ...rows].join('\n'));
      const wide = await world.run({ nodeOptions });
      expectToEnd(wide);
      expect(countsOf(wide)).toMatchObject({ matched: 50 });
    },
    { short: 0 },
  );
});

function writeJob(world: World, path: string, columns: readonly string[]): void {
  const identify = columns.map((column) => ({ column }));
  const job = { name: 'leads', input: { path }, identify, limits: { rate: 'none' } };
  writeFileSync(join(world.folder, 'job.yaml'), JSON.stringify(job));
}

function countsOf({ stdout }: Ended): Record<string, number> {
  return (JSON.parse(stdout) as { rows: Record<string, number> }).rows;
}
