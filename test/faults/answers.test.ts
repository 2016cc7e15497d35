import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { domainOf, numberAsked } from '../journeys/sample-companies.ts';
import { queryParquet } from '../results/parquet/read-parquet.ts';
import { faultCase } from './support/fault-case.ts';
import { hostileAnswers } from './support/hostile-answers.ts';
import { expectToEnd } from './support/trouble.ts';
import { openWorld, type World } from './support/world.ts';

/** Rows with good answers come first: a service without any good answer trips the circuit breaker. */
const goodRows = 10;

function recordsOf(world: World): string[] {
  return readFileSync(join(world.output, 'companies.jsonl'), 'utf8').split('\n').filter(Boolean);
}

describe('malformed answers', () => {
  faultCase(
    'each row gets what its answer is worth, in every format, and the others theirs',
    async () => {
      let isHostile = true;
      await using world = await openWorld(
        {
          people: undefined,
          job: {
            limits: { attempts: 1 },
            output: { path: 'output', format: ['jsonl', 'csv', 'parquet'] },
          },
        },
        ({ path }) =>
          isHostile ? hostileAnswers[numberAsked(path) - goodRows]?.reaction : undefined,
      );
      const rows = goodRows + hostileAnswers.length;
      const domains = Array.from({ length: rows }, (_, number) => `,${domainOf(number)}`);
      writeFileSync(join(world.folder, 'leads.csv'), ['page,website', ...domains].join('\n'));

      expectToEnd(await world.run(), 3);
      const records = recordsOf(world);
      expect(records).toHaveLength(rows);
      const found = hostileAnswers.map(({ name }, index) => [
        name,
        statusOf(records[goodRows + index]),
      ]);
      expect(found).toEqual(hostileAnswers.map(({ name, status }) => [name, status]));
      for (const [index, { name, holds = '' }] of hostileAnswers.entries()) {
        expect(records[goodRows + index]?.includes(holds), `${name}: ${holds}`).toBe(true);
      }

      const parquet = join(world.output, 'companies.parquet');
      expect((await queryParquet(parquet, 'row_number')).rows).toHaveLength(rows);

      // Calls with an unreadable answer are made again; the others are cache hits, the oversized, too.
      isHostile = false;
      const before = world.asked().length;
      expectToEnd(await world.run(), 3);
      const failed = hostileAnswers.filter(
        ({ status, isRemembered }) => status === 'failed' && !isRemembered,
      );
      expect(world.asked().length - before).toBe(failed.length);
    },
  );

  faultCase(
    'one that unfolds to more than the memory holds is paid for once, and every export goes on',
    async () => {
      // The mark before it is skipped by readers, and must not hide it from the limit.
      const bomb = gzipSync(`\uFEFF{"id":"c_0","odd":[${'{},'.repeat(10_400_000)}{}]}`);
      const headers = { 'content-encoding': 'gzip' };
      let errors = 0;
      await using world = await openWorld({ rows: 3, people: undefined }, ({ path }) => {
        if (numberAsked(path) === 1) return { headers, body: bomb };
        if (numberAsked(path) !== 2 || errors > 0) return undefined;
        errors += 1;
        return { status: 500, headers, body: bomb };
      });
      const nodeOptions = ['--max-old-space-size=256'];
      expectToEnd(await world.run({ nodeOptions }), 3);
      expect(recordsOf(world)[1]).toContain('"reason":"oversized"');
      const asked = world.asked().length;
      // The failed row stays one, and asking for it again would cost again.
      const again = await world.run({ nodeOptions, args: ['--json'] });
      expectToEnd(again, 3);
      expect(world.asked()).toHaveLength(asked);
      expect(JSON.parse(again.stdout).calls).toMatchObject({ made: 0, reused: 3, failed: 0 });
      const plan = await world.run({ command: ['plan', 'job.yaml', '--json'] });
      expect(JSON.parse(plan.stdout)).toMatchObject({
        atHand: { companies: 2, misses: 1 },
        calls: { most: 0 },
      });
      expectToEnd(await world.run({ nodeOptions, command: ['export', 'job.yaml'] }));
      expect(recordsOf(world)).toHaveLength(3);
    },
    { short: 0 },
  );
});

function statusOf(record = '{}'): unknown {
  return (JSON.parse(record) as { status?: string }).status;
}
