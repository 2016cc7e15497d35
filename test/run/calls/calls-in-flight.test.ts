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
  flight.send(Array.from({ length: 9 }, (_item, callId) => ({ callId, call })));
  await expect.poll(() => flight.answered).toBe(9);
  const taken: number[] = [];
  while (flight.answered > 0) taken.push(flight.takeAnswers().length);
  expect(taken).toEqual(batches);
});
