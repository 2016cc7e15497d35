import { expect, test } from 'vitest';
import type { Call } from '../../../src/core/contract/call.ts';
import type { RequestEnd } from '../../../src/core/rules/budgets.ts';
import { createStartBudget } from '../../../src/run/calls/start-budget.ts';
import { companyCall, noAbort, openTestClient } from '../../support/client-under-test.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';
import { testJob } from '../../support/test-job.ts';

const hit: Reaction = { body: '{"id":"7"}' };
const cut: Reaction = { body: '{"id":"7"}', truncate: 'content-length' };
const elsewhere: Reaction = { status: 308, headers: { location: '/elsewhere' } };
const slow: Reaction = { status: 500, headers: { 'retry-after': '600' } };
const throttled: Reaction = { status: 429, headers: { 'retry-after': '1' } };

const job = testJob();

/** The budget of a start alone, as the client sees it. */
function budgetOfStart(perStart?: number) {
  const budget = createStartBudget({ ...job, budget: { ...job.budget, perStart } });
  return {
    budget,
    forClient: {
      reserve: () => budget.reserve(1, 0) === 1,
      book: (_: Call, end: RequestEnd) => {
        if (end === 'unsent') budget.at(0).reserve(-1);
      },
    },
  };
}

/** Sends one call, for which the first request of the budget is reserved. */
async function sendWith(
  maxRequests: number,
  reactions: readonly Reaction[],
  charged: 'hits' | 'answers' = 'answers',
) {
  await using server = await openHostileServer(
    (_request, index) => reactions[Math.min(index, reactions.length - 1)] ?? {},
  );
  const { budget, forClient } = budgetOfStart(maxRequests);
  budget.reserve(1, 0);
  let unpaid = 0;
  const book = (call: Call, end: RequestEnd) => {
    if (end === 'unpaid') unpaid += 1;
    forClient.book(call, end);
  };
  await using client = openTestClient(server.url, {
    budget: { ...forClient, book },
    attempts: 4,
    hasEverFound: true,
    charged,
  });
  const end = await client.send(companyCall, noAbort).then(
    ({ kind }) => kind,
    ({ code }) => code as string,
  );
  return { end, requests: server.seen.length, spent: budget.spent, ...(unpaid > 0 && { unpaid }) };
}

test.each<[string, number, readonly Reaction[], object]>([
  ['a miss', 9, [{ status: 404 }], { end: 'miss', requests: 1, spent: 1 }],
  ['answers cut short', 9, [cut, cut, hit], { end: 'hit', requests: 3, spent: 3 }],
  ['a call that fails for good', 9, [cut], { end: 'failed', requests: 4, spent: 4 }],
  ['a redirect', 9, [elsewhere, hit], { end: 'hit', requests: 2, spent: 1 }],
  ['a redirect without end', 9, [elsewhere], { end: 'failed', requests: 6, spent: 0 }],
  ['a throttled request', 9, [throttled, hit], { end: 'hit', requests: 2, spent: 1 }],
  ['a refused key', 9, [{ status: 401 }], { end: 'KEY_REFUSED', requests: 1, spent: 0 }],
  ['a spent quota', 9, [{ status: 402 }], { end: 'failed', requests: 1, spent: 0 }],
  ['no wait as long as Retry-After', 1, [slow], { end: 'BUDGET_SPENT', requests: 1, spent: 1 }],
  ['no more than there is', 2, [cut], { end: 'BUDGET_SPENT', requests: 2, spent: 2 }],
])('possibly charged requests use the budget: %s', async (_, most, reactions, expected) => {
  expect(await sendWith(most, reactions)).toEqual(expected);
});

test.each<[string, readonly Reaction[], object]>([
  ['a hit', [hit], { end: 'hit', requests: 1, spent: 1 }],
  ['a free miss', [{ status: 404 }], { end: 'miss', requests: 1, spent: 1, unpaid: 1 }],
  ['a free refusal', [{ status: 422 }], { end: 'invalid', requests: 1, spent: 1, unpaid: 1 }],
  [
    'what was cut short, which may have been a hit',
    [cut, hit],
    { end: 'hit', requests: 2, spent: 2 },
  ],
])(
  'if only hits are charged, a budget in calls still counts %s',
  async (_, reactions, expected) => {
    expect(await sendWith(9, reactions, 'hits')).toEqual(expected);
  },
);

test('a request that finds no listener was not sent, and costs nothing', async () => {
  const server = await openHostileServer(hit);
  await server[Symbol.asyncDispose]();
  const { budget, forClient } = budgetOfStart(1);
  budget.reserve(1, 0);
  await using client = openTestClient(server.url, { budget: forClient, attempts: 2 });
  expect(await client.send(companyCall, noAbort)).toMatchObject({ kind: 'failed', attempts: 2 });
  expect(budget.spent).toBe(0);
});
