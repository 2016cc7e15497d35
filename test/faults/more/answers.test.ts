import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf, numberAsked } from '../../journeys/sample-companies.ts';
import { queryParquet } from '../../results/read-parquet.ts';
import { faultCase } from '../support/fault-case.ts';
import { hostileAnswers } from '../support/hostile-answers.ts';
import { expectToEnd } from '../support/trouble.ts';
import { openWorld, type World } from '../support/world.ts';

/** Rows with good answers come first: a service without any good answer trips the circuit breaker. */
const goodRows = 10;

function recordsOf(world: World): string[] {
  return readFileSync(join(world.output, 'companies.jsonl'), 'utf8').split('\n').filter(Boolean);
}

describe('malformed answers', () => {
  faultCase('one bad answer affects only its own row, in every format', async () => {
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
  });
});

function statusOf(record = '{}'): unknown {
  return (JSON.parse(record) as { status?: string }).status;
}
