import { expect, test } from 'vitest';
import { type ExchangeEnd, type LoopState, nextStep } from '../../../src/run/calls/next-step.ts';

type Service = LoopState['services'][number];

/** One service, half of whose connections are busy. */
const busy: Service = {
  inFlight: 5,
  mostInFlight: 20,
  left: Number.POSITIVE_INFINITY,
  attempts: 4,
  undecided: 0,
  isStopped: false,
  nothingToLease: false,
};
const idle = { ...busy, inFlight: 0 };
const stopped = { ...idle, isStopped: true };
const full = { ...busy, inFlight: 20 };

const state: LoopState = {
  services: [busy],
  isStopped: false,
  answers: 0,
  fitting: 0,
  unsent: 0,
  open: 100,
  callsAtOnce: 10,
  sinceExchangeMs: 0,
};

const storing = (wanted: readonly unknown[], fitting = 0) => ({ do: 'exchange', wanted, fitting });
const answers = (count: number) => ({ answers: count, fitting: count });

test.each<[string, Partial<LoopState>, object]>([
  ['most connections are idle', {}, storing([15])],
  ['all connections are busy', { services: [full] }, { do: 'wait', ms: 50 }],
  ['a few more answers may come', { services: [{ ...busy, inFlight: 8 }] }, { do: 'wait', ms: 2 }],
  [
    'no more answers came',
    { services: [{ ...busy, inFlight: 8 }], sinceExchangeMs: 2 },
    storing([12]),
  ],
  ['a batch is complete', { services: [full], ...answers(200) }, storing([0], 200)],
  [
    'answers wait',
    { services: [full], ...answers(1), sinceExchangeMs: 49 },
    { do: 'wait', ms: 50 },
  ],
  [
    'answers have waited',
    { services: [full], ...answers(1), sinceExchangeMs: 50 },
    storing([0], 1),
  ],
  ['the answers exceed a batch', { answers: 9, fitting: 4 }, storing([0], 4)],
  ['the run was stopped', { isStopped: true }, { do: 'wait', ms: 50 }],
  ['nothing is in flight after a stop', { isStopped: true, services: [idle] }, storing([0])],
  ['the budget pays for two more calls', { services: [{ ...busy, left: 24 }] }, storing([2])],
  ['the budget pays for no retry', { services: [{ ...busy, left: 16 }] }, { do: 'wait', ms: 50 }],
  ['the first call has no budget for retries', { services: [{ ...idle, left: 1 }] }, storing([1])],
  ['one service stopped', { services: [busy, stopped] }, storing([15, 0])],
  [
    'one service stopped, and all of its open calls were seen',
    { services: [busy, { ...stopped, nothingToLease: true }] },
    storing([15, 'skip']),
  ],
  [
    'only the other service has calls to lease',
    { services: [{ ...busy, nothingToLease: true }, full] },
    { do: 'wait', ms: 50 },
  ],
])('before an exchange: %s', (_, changed, step) => {
  expect(nextStep({ ...state, ...changed })).toEqual(step);
});

const exchanged: ExchangeEnd = { rooms: [20], openCalls: 'none', wasFull: false };
const spent = {
  per: 'day',
  limit: 3,
  used: 3,
  period: '2026-08-22',
  freeAtMs: 0,
  timezone: 'UTC',
  at: 'main',
} as const;

test.each<[string, Partial<LoopState>, Partial<ExchangeEnd>, object]>([
  ['some answers did not fit', {}, { wasFull: true }, { do: 'look-again' }],
  ['open calls may be cached', {}, { openCalls: 'unseen' }, { do: 'look-again' }],
  ['calls are in flight', { services: [busy] }, {}, { do: 'wait', ms: 50 }],
  ['an answer came meanwhile', answers(1), {}, { do: 'wait', ms: 50 }],
  ['the run was stopped', { isStopped: true }, { openCalls: 'unseen' }, { do: 'stop' }],
  [
    'the run was stopped, but calls are in flight',
    { isStopped: true, services: [busy] },
    {},
    { do: 'wait', ms: 50 },
  ],
  [
    'only failures came',
    { services: [{ ...idle, undecided: 2 }], open: 2 },
    {},
    { do: 'decide-failures' },
  ],
  ['other runs make the open calls', {}, { openCalls: 'elsewhere' }, { do: 'wait-for-runs' }],
  ['no call is open', { open: 0 }, {}, { do: 'done' }],
  ['calls that were not sent are still leased', { unsent: 1 }, {}, { do: 'look-again' }],
  ['a service stopped', { services: [idle, stopped] }, {}, { do: 'stop' }],
  [
    'the failures of a stopped service decide nothing',
    { services: [idle, { ...stopped, undecided: 2 }] },
    {},
    { do: 'stop' },
  ],
  [
    'the budget of this start is spent',
    { services: [idle, idle] },
    { rooms: [3, 0] },
    { do: 'end-of-budget', serviceIndex: 1 },
  ],
  [
    'a shared budget is spent',
    {},
    { rooms: [3], spent },
    { do: 'end-of-budget', serviceIndex: 0, spent },
  ],
])('after an exchange: %s', (_, changed, end, step) => {
  const after = { ...state, services: [idle], ...changed };
  expect(nextStep({ ...after, exchanged: { ...exchanged, ...end } })).toEqual(step);
});

test('open calls that nobody can lease are a bug', () => {
  expect(() => nextStep({ ...state, services: [idle], exchanged })).toThrow(
    'bug: 100 calls are open, but the queue leased none',
  );
});
