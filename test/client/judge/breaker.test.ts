import { describe, expect, test } from 'vitest';
import { openBreaker } from '../../../src/client/judge/breaker.ts';
import { openRunStop } from '../../../src/client/run-stop.ts';

function openTestBreaker() {
  const runStop = openRunStop();
  const breaker = openBreaker('https://api.example.com', runStop);
  const times = (count: number, what: () => void) => {
    for (let done = 0; done < count; done += 1) what();
  };
  return { breaker, times, reason: () => runStop.signal.reason as unknown };
}

describe('the service is down', () => {
  test('when more than half of the last hundred attempts failed', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(500, () => breaker.noteAnswer('hit'));
    times(50, () => breaker.noteFailedAttempt('HTTP 500'));
    expect(reason()).toBeUndefined();
    breaker.noteFailedAttempt('connection refused');
    expect(reason()).toMatchObject({
      code: 'SERVICE_DOWN',
      message:
        'https://api.example.com failed 51 of the last 100 attempts; the last: connection refused',
    });
  });

  test('when a call failed for good before any was answered', () => {
    const { breaker, reason } = openTestBreaker();
    breaker.noteFailedAttempt('HTTP 502');
    breaker.noteFailedCall('HTTP 502');
    expect(reason()).toMatchObject({ code: 'SERVICE_DOWN' });
  });
});

describe('the run goes on', () => {
  test('when exactly half of the attempts fail', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(300, () => {
      breaker.noteAnswer('miss');
      breaker.noteFailedAttempt('HTTP 500');
    });
    expect(reason()).toBeUndefined();
  });

  test('when a call fails for good after others were answered', () => {
    const { breaker, reason } = openTestBreaker();
    breaker.noteAnswer('miss');
    breaker.noteFailedCall('HTTP 500');
    expect(reason()).toBeUndefined();
  });

  test('when failures lie more than a hundred attempts back', () => {
    const { breaker, times, reason } = openTestBreaker();
    breaker.noteAnswer('hit');
    times(10, () => {
      times(50, () => breaker.noteFailedAttempt('HTTP 500'));
      times(100, () => breaker.noteAnswer('hit'));
    });
    expect(reason()).toBeUndefined();
  });
});

describe('the job is refused', () => {
  test('when the first 25 calls are all invalid, with what the service said', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(24, () => breaker.noteAnswer('invalid', 'Invalid country code'));
    expect(reason()).toBeUndefined();
    breaker.noteAnswer('invalid', 'Invalid country code');
    expect(reason()).toMatchObject({
      code: 'JOB_REFUSED',
      message: expect.stringContaining('Invalid country code'),
    });
  });

  test.each(['hit', 'miss'] as const)('but not when one of them is a %s', (kind) => {
    const { breaker, times, reason } = openTestBreaker();
    times(24, () => breaker.noteAnswer('invalid', 'no'));
    breaker.noteAnswer(kind);
    times(100, () => breaker.noteAnswer('invalid', 'no'));
    expect(reason()).toBeUndefined();
  });

  test('and not when one of them failed', () => {
    const { breaker, times, reason } = openTestBreaker();
    breaker.noteAnswer('invalid', 'no');
    breaker.noteFailedCall('HTTP 500');
    times(100, () => breaker.noteAnswer('invalid', 'no'));
    expect(reason()).toBeUndefined();
  });
});
