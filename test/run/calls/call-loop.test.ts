import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Call } from '../../../src/core/contract/call.ts';
import { DossierError } from '../../../src/core/errors.ts';
import { openLedger } from '../../../src/engine/ledger/open-ledger.ts';
import type { ServiceClient } from '../../../src/run/run-parts.ts';
import { columns, jobWith, list, smallJob } from '../../engine/queue/small-list.ts';
import {
  abns,
  answerOf,
  arbitraryWorld,
  type SmallWorld,
  slugs,
} from '../../engine/queue/small-world.ts';
import { countCalls, countRun } from '../../support/count-run.ts';
import { day, testJob } from '../../support/test-job.ts';
import { completeTestRun, ingestTestRun, listOf } from '../../support/test-run.ts';

const numRuns = Number(process.env.DOSSIER_TEST_RUNS ?? 8);

const setting = fc.record(smallJob);

/** Answers in an order of its own, which depends on the seed only. */
function openShufflingService(world: SmallWorld, seed: number): ServiceClient {
  const waiting: (() => void)[] = [];
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
  return {
    async send(call: Call) {
      setImmediate(() => waiting.splice(random(waiting.length), 1)[0]?.());
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answerOf(world, call);
    },
  };
}

test('which company a row gets does not depend on which answer comes first', async () => {
  const order = fc.record({ seed: fc.nat(), concurrency: fc.integer({ min: 1, max: 5 }) });
  const orders = fc.array(order, { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      sharingWorld,
      list,
      list,
      setting,
      orders,
      async (world, before, rows, given, of) => {
        const results = [];
        for (const { seed, concurrency } of of) {
          using ledger = openLedger(':temporary:');
          const job = jobWith({ ...given, concurrency });
          const service = openShufflingService(world, seed);
          // The second list finds companies of the first under other identifiers.
          for (const [night, cells] of [before, rows].entries()) {
            const startedAt = Date.parse('2026-08-22') + night * day;
            const listed = await ingestTestRun(ledger, job, listOf(columns, cells), startedAt);
            const counts = await completeTestRun(listed, service, startedAt);
            expect(counts).toEqual(countRun(ledger, listed.run.id));
            const records = ledger.records(undefined).ofRun(listed.run, () => expect.unreachable());
            const told = { rows: [...records.rows()], people: [...records.people()] };
            results.push({ night, told: JSON.stringify(told, withoutTimes) });
          }
        }
        for (const night of [0, 1]) {
          const told = results
            .filter((result) => result.night === night)
            .map((result) => result.told);
          expect(new Set(told).size).toBe(1);
        }
      },
    ),
    { numRuns },
  );
});

/** When an answer came depends on which came first, and nothing else does. */
function withoutTimes(key: string, value: unknown): unknown {
  return key === 'fetchedAt' ? undefined : value;
}

/** Companies that share register numbers and pages: two carry each of them. */
const sharingWorld = arbitraryWorld.map((world) => ({
  ...world,
  companies: world.companies.map((company, index) => ({
    ...company,
    abn: abns[index % 2],
    slug: slugs[index % 3],
  })),
}));

test.each([
  ['lost with the client is possibly charged', new Error('the client is broken'), ['d0.com.au']],
  ['kept back by a stop is simply open', new DossierError('INTERRUPTED', 'enough'), []],
])('a call that was %s', async (_, error, possiblyCharged) => {
  using ledger = openLedger(':temporary:');
  const job = testJob({ identify: [{ column: 'website', as: 'fqdn' }] });
  const given = await ingestTestRun(ledger, job, listOf(['website'], [['d0.com.au']]));
  const send = async () => {
    throw error;
  };
  await expect(completeTestRun(given, { send })).rejects.toBe(error);
  const asked = possiblyCharged.map((site) => `company?country=AU&fqdn=${site}`);
  expect(ledger.calls.possiblyCharged(given.run.id)).toEqual(asked);
  // Nobody waits for it any more, so it is open for whoever asks next.
  expect(countCalls(ledger, given.run.id)).toMatchObject({ open: 1, leased: 0 });
});
