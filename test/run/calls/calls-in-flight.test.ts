import { expect, test } from 'vitest';
import type { CallOutcome } from '../../../src/contract/call.ts';
import { openCallsInFlight } from '../../../src/run/calls/calls-in-flight.ts';
import { openFakeClock } from '../../support/fake-clock.ts';

const never = new AbortController().signal;
const call = { operation: 'people', body: {} } as const;

function flightWith(bodyBytes: number) {
  const body = Buffer.alloc(bodyBytes);
  const outcome: CallOutcome = { kind: 'hit', status: 200, body, attempts: 1, durationMs: 1 };
  const options = { clock: openFakeClock(), stopping: never, signal: never };
  return openCallsInFlight({ send: async () => outcome }, options);
}

test.each([
  ['small answers travel together', 1_000, [9]],
  ['large answers travel in several batches', 12_000_000, [2, 2, 2, 2, 1]],
  ['an answer that is larger than a batch travels alone', 40_000_000, Array(9).fill(1)],
])('%s', async (_, bodyBytes, batches) => {
  const flight = flightWith(bodyBytes);
  flight.send(Array.from({ length: 9 }, (_item, callId) => ({ callId, call, hasFailed: false })));
  await expect.poll(() => flight.answered).toBe(9);
  const taken: number[] = [];
  while (flight.answered > 0) taken.push(flight.takeAnswers().length);
  expect(taken).toEqual(batches);
});

const facts = { attempts: 1, durationMs: 1 };
const body = Buffer.from('{}');
const hit: CallOutcome = { kind: 'hit', status: 200, body, ...facts };
const miss = { kind: 'miss', status: 404, body, ...facts } as const;
const failure: CallOutcome = { kind: 'failed', reason: 'HTTP 500', ...facts };
const unproven: CallOutcome = { ...failure, missIfProven: miss };

/** The calls of these outcomes have come back, in this order. */
async function flightOf(outcomes: readonly CallOutcome[], judge: () => void = () => {}) {
  const left = [...outcomes];
  const options = { clock: openFakeClock(), stopping: never, signal: never };
  const send = async () => left.shift() ?? expect.unreachable();
  const flight = openCallsInFlight({ send, judge }, options);
  flight.send(outcomes.map((_, callId) => ({ callId, call, hasFailed: false })));
  await expect.poll(() => flight.count).toBe(0);
  const taken = () => flight.takeAnswers().map(({ callId, outcome }) => [callId, outcome]);
  return { flight, taken };
}

test('a failure waits for an answer that shows that the service works', async () => {
  const { flight, taken } = await flightOf([failure, failure]);
  expect([flight.failing, taken()]).toEqual([2, []]);
  const answered = await flightOf([failure, miss, failure]);
  expect(answered.taken()).toEqual([
    [0, failure],
    [1, miss],
  ]);
  expect(answered.flight.failing).toBe(1);
});

test('an answer that the service gave before a failure says nothing about it', async () => {
  const older = await flightOf([
    { ...failure, fetchedAt: 2_000 },
    { ...miss, fetchedAt: 1_000 },
  ]);
  expect([older.flight.failing, older.taken().length]).toEqual([1, 1]);
  const newer = await flightOf([
    { ...failure, fetchedAt: 2_000 },
    { ...miss, fetchedAt: 3_000 },
  ]);
  expect([newer.flight.failing, newer.taken().length]).toEqual([0, 2]);
});

test('a hit proves the service, whenever it was given', async () => {
  const { flight, taken } = await flightOf([
    { ...unproven, fetchedAt: 2_000 },
    { ...hit, fetchedAt: 1_000 },
  ]);
  expect(flight.failing).toBe(0);
  expect(taken()).toMatchObject([
    [0, { kind: 'miss' }],
    [1, { kind: 'hit' }],
  ]);
});

test('an empty 404 is a miss once another call has got a hit, and a failure without one', async () => {
  expect((await flightOf([unproven, hit])).taken()).toEqual([
    [0, miss],
    [1, hit],
  ]);
  expect((await flightOf([unproven, miss])).taken()).toEqual([
    [0, failure],
    [1, miss],
  ]);
});

test('at the end failures have failed, unless the service is to blame: then the run stops', async () => {
  const ended = await flightOf([failure, unproven]);
  ended.flight.judge();
  expect(ended.taken()).toEqual([
    [0, failure],
    [1, failure],
  ]);
  const down = new Error('down');
  const stopped = await flightOf([failure], () => {
    throw down;
  });
  stopped.flight.judge();
  expect([stopped.flight.stopped, stopped.taken()]).toEqual([{ by: down }, []]);
  expect(stopped.flight.takeFailing()).toMatchObject([{ callId: 0, outcome: failure }]);
});
