import { expect, test } from 'vitest';
import { createBreaker } from '../../../../src/engine/client/judge/breaker.ts';
import { createRunStop } from '../../../../src/engine/client/run-stop.ts';

type Step = (breaker: ReturnType<typeof createBreaker>) => void;

const answer =
  (kind: 'hit' | 'miss' | 'invalid' | 'oversized'): Step =>
  (breaker) =>
    breaker.noteAnswer(kind, 'Invalid country');
const [hit, miss, invalid] = [answer('hit'), answer('miss'), answer('invalid')];
const reused: Step = (breaker) => breaker.noteFetchedElsewhere('hit');
const attempt: Step = (breaker) => breaker.noteFailedAttempt('HTTP 500');
const failed =
  (status: number, isUnreached = false, hasFailedBefore = false): Step =>
  (breaker) =>
    breaker.noteFailedCall(`HTTP ${status}`, status, isUnreached, hasFailedBefore);
const refusal =
  (code: 'KEY_REFUSED' | 'QUOTA_SPENT', hasFailedBefore = false): Step =>
  (breaker) =>
    breaker.noteRefusal(code, 'refused: no', hasFailedBefore);
const end: Step = (breaker) => {
  try {
    breaker.requireAnswers();
  } catch {
    // It throws the reason of the stop, which the test compares.
  }
};
const times = (count: number, ...steps: Step[]) => Array<Step[]>(count).fill(steps).flat();

const url = 'https://api.example.com';
/** Steps after which the run goes on, the step that stops it, and how. */
test.each<[string, Step[], Step, string | undefined]>([
  [
    'not reached, as before',
    [failed(0, true, true)],
    end,
    `SERVICE_DOWN: ${url} failed the only call; the last: HTTP 0`,
  ],
  [
    '404 and 503',
    times(2, failed(404)),
    failed(503),
    `SERVICE_DOWN: ${url} failed all 3 calls; the last: HTTP 503`,
  ],
  [
    'five refusals in a row',
    [miss, ...times(4, refusal('KEY_REFUSED')), invalid, ...times(4, refusal('KEY_REFUSED'))],
    refusal('QUOTA_SPENT'),
    'QUOTA_SPENT: refused: no; 5 calls in a row were refused',
  ],
  ['refusals of an earlier start', times(9, refusal('KEY_REFUSED', true)), end, undefined],
  [
    'a quota spent in an earlier start, too',
    times(4, refusal('QUOTA_SPENT', true)),
    refusal('QUOTA_SPENT', true),
    'QUOTA_SPENT: refused: no; 5 calls in a row were refused',
  ],
  [
    'difficult rows after reused answers',
    [reused, ...times(3, failed(500)), refusal('KEY_REFUSED'), ...times(25, invalid)],
    end,
    undefined,
  ],
  [
    'not reached after reused answers',
    [reused, ...times(2, failed(0, true))],
    failed(0, true),
    `SERVICE_DOWN: ${url} failed all 3 calls; the last: HTTP 0`,
  ],
  ['half of the attempts', times(300, miss, attempt), end, undefined],
  [
    'failures long ago',
    [hit, ...times(5, ...times(50, attempt), ...times(100, hit))],
    end,
    undefined,
  ],
  ['failures after an answer', [failed(500), miss, ...times(5, failed(500))], end, undefined],
  ['two with an HTTP answer', times(2, failed(404)), end, undefined],
  [
    'failures of an earlier start',
    [...times(9, failed(500, false, true)), failed(0, false, true)],
    end,
    undefined,
  ],
  ['25 invalid after a miss', [miss, ...times(99, invalid)], end, undefined],
  ['25 invalid after a failure', [failed(500), ...times(99, invalid)], end, undefined],
])('%s', (_, before, last, stop) => {
  const runStop = createRunStop();
  const breaker = createBreaker(url, runStop);
  for (const step of before) step(breaker);
  expect(runStop.signal.reason).toBeUndefined();
  last(breaker);
  const { code, message } = (runStop.signal.reason ?? {}) as { code?: string; message?: string };
  expect(code && `${code}: ${message}`).toBe(stop);
});

test('a service is proven by its first hit, and by nothing else', () => {
  const breaker = createBreaker(url, createRunStop());
  for (const kind of ['miss', 'invalid', 'oversized'] as const) answer(kind)(breaker);
  expect(breaker.hasEverFound).toBe(false);
  hit(breaker);
  expect(breaker.hasEverFound).toBe(true);
});
