import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { Reaction } from '../support/hostile-server.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import { listOf, type Shape } from './support/sample-job.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

const limits = { attempts: 2, maxWait: '5s' };
const shape: Partial<Shape> = { rows: 40, people: 1, job: { limits } };

interface Refusal {
  readonly reaction: Reaction;
  readonly code: ErrorCode;
  readonly sentence: string | RegExp;
}

/** Refusals that a service gives to every call for a while, between good answers. */
const refusals: readonly Refusal[] = [
  {
    reaction: { status: 401, body: '{"error":401,"message":"The key has expired"}' },
    code: 'KEY_REFUSED',
    sentence: 'the service refused the key (in the variable DOSSIER_API_KEY): The key has expired',
  },
  {
    reaction: { status: 402, body: '{"error":{"code":402,"message":"No credit left"}}' },
    code: 'QUOTA_SPENT',
    sentence: 'the service refuses further calls: No credit left',
  },
  {
    reaction: { status: 403, body: '<html><title>Forbidden</title></html>' },
    code: 'KEY_REFUSED',
    sentence: 'the service refused the key (in the variable DOSSIER_API_KEY): Forbidden',
  },
  {
    reaction: { status: 403, body: '{"error":"Monthly quota exceeded"}' },
    code: 'QUOTA_SPENT',
    sentence: 'the service refuses further calls: Monthly quota exceeded',
  },
];

describe('a service that refuses', () => {
  faultCase(
    '401 in the middle of a run stops it, five of 402 and 403 do, and it goes on when they are over',
    async (seed) => {
      const { reaction, code, sentence } = pickInTurn(refusals, seed.value);
      const goodCalls = 1 + seed.random(60);
      let isRefusing = true;
      await using world = await openWorld(shape, (_, index) =>
        isRefusing && index >= goodCalls ? reaction : undefined,
      );
      expectToStop(await world.run(), code, sentence);
      // Four refusals after an answer may be about their rows; the fifth is not.
      const { concurrency } = world.shape;
      expect(world.asked().length).toBeLessThanOrEqual(goodCalls + 4 + concurrency);
      isRefusing = false;
      expectToEnd(await world.run());
      await expectNothingLost(world);
    },
    { long: 2 * refusals.length },
  );

  faultCase('a 403 for some rows stops one start, and then fails those rows alone', async () => {
    const blocked = { status: 403, body: '<html><title>Request blocked</title></html>' };
    const changes = { rows: 12, people: undefined, concurrency: 1 };
    await using world = await openWorld({ ...shape, ...changes }, ({ path }) => {
      if (/company\d*[02468]-/.test(path)) return blocked;
      const message = 'Sunrise Credit Union is not in this country';
      return path.includes('company1-')
        ? { status: 400, body: JSON.stringify({ error: 400, message }) }
        : undefined;
    });
    expectToStop(await world.run(), 'KEY_REFUSED', 'Request blocked');
    expectToEnd(await world.run(), 3);
    const [row, named] = readFileSync(join(world.output, 'companies.jsonl'), 'utf8').split('\n');
    expect(row).toContain('"message":"the service refused this call: Request blocked"');
    expect(named).toContain('"reason":"refused_by_service"');
    // The next night asks for those rows alone, and is not stopped by them either.
    const before = world.asked().length;
    expectToEnd(await world.run(), 3);
    expect(world.asked().length - before).toBe(6);
  });

  faultCase(
    'a service that is down on a night of few new rows stops the run, not those rows',
    async () => {
      let trouble: Reaction | undefined;
      const known = 8;
      const changes = { rows: known, people: undefined, job: { limits: { attempts: 1 } } };
      await using world = await openWorld(changes, () => trouble);
      expectToEnd(await world.run());
      const grow = (rows: number) =>
        writeFileSync(join(world.folder, 'leads.csv'), listOf({ ...world.shape, rows }));
      // One call that gets no answer at all.
      grow(known + 1);
      trouble = { reset: 'before head' };
      expectToStop(await world.run(), 'SERVICE_DOWN', 'failed the only call');
      // Several that a gateway answers.
      grow(known + 5);
      trouble = { status: 502, body: '<html><title>Bad gateway</title></html>' };
      expectToStop(await world.run(), 'SERVICE_DOWN', 'HTTP 502: Bad gateway');
      trouble = undefined;
      expectToEnd(await world.run());
      const rows = readFileSync(join(world.output, 'companies.jsonl'), 'utf8').split('\n');
      expect(rows.filter((line) => line.includes('"failed"'))).toEqual([]);
    },
    { short: 0 },
  );
});

function pickInTurn<Item>(items: readonly Item[], turn: number): Item {
  return items[turn % items.length] as Item;
}
