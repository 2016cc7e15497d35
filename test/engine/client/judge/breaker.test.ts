import { describe, expect, test } from 'vitest';
import { openBreaker } from '../../../../src/engine/client/judge/breaker.ts';
import { openRunStop } from '../../../../src/engine/client/run-stop.ts';

function openTestBreaker() {
  const runStop = openRunStop();
  const breaker = openBreaker('https://api.example.com', runStop);
  const times = (count: number, what: () => void) => {
    for (let done = 0; done < count; done += 1) what();
  };
  return { breaker, times, reason: () => runStop.signal.reason as unknown };
}

function failed(status: number, isUnreached = false, hasFailedBefore = false) {
  return [`HTTP ${status}`, status, isUnreached, hasFailedBefore] as const;
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

  test('when the first three calls failed and none was answered', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(2, () => breaker.noteFailedCall(...failed(502)));
    expect(reason()).toBeUndefined();
    breaker.noteFailedCall(...failed(502));
    expect(reason()).toMatchObject({
      code: 'SERVICE_DOWN',
      message: 'https://api.example.com has failed all 3 calls; the last: HTTP 502',
    });
  });

  test('at the end of the calls when the only one got no HTTP answer', () => {
    const { breaker, reason } = openTestBreaker();
    breaker.noteFailedCall('connection refused', 0, true, false);
    expect(reason()).toBeUndefined();
    breaker.judgeEnd();
    expect(reason()).toMatchObject({ code: 'SERVICE_DOWN' });
  });

  test('when no connection comes about, also for calls that had failed before', () => {
    const { breaker, reason } = openTestBreaker();
    breaker.noteFailedCall(...failed(0, true, true));
    breaker.judgeEnd();
    expect(reason()).toMatchObject({ code: 'SERVICE_DOWN' });
  });
});

describe('the address is wrong', () => {
  test('when the first three calls were all answered with 404', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(3, () => breaker.noteFailedCall(...failed(404)));
    expect(reason()).toMatchObject({
      code: 'JOB_REFUSED',
      message: 'https://api.example.com says 404 to all 3 calls; the last: HTTP 404',
    });
  });

  test('but not when one of them failed otherwise: then the service is down', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(2, () => breaker.noteFailedCall(...failed(404)));
    breaker.noteFailedCall(...failed(503));
    expect(reason()).toMatchObject({ code: 'SERVICE_DOWN' });
  });
});

describe('the key is refused', () => {
  const refusal = ['KEY_REFUSED', 'refused: no', false] as const;

  test('when a call is forbidden before any was answered', () => {
    const { breaker, reason } = openTestBreaker();
    breaker.noteRefusal(...refusal);
    expect(reason()).toMatchObject({ code: 'KEY_REFUSED', message: 'refused: no' });
  });

  test('when five calls are forbidden with no answer between, and by the code of the last', () => {
    const { breaker, times, reason } = openTestBreaker();
    breaker.noteAnswer('miss');
    times(4, () => breaker.noteRefusal(...refusal));
    breaker.noteAnswer('invalid');
    times(4, () => breaker.noteRefusal(...refusal));
    expect(reason()).toBeUndefined();
    breaker.noteRefusal('QUOTA_SPENT', 'refused: no', false);
    expect(reason()).toMatchObject({
      code: 'QUOTA_SPENT',
      message: 'refused: no; 5 calls in a row got no other answer',
    });
  });

  test('but not by calls that were refused in an earlier execution, too', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(9, () => breaker.noteRefusal('KEY_REFUSED', 'refused: no', true));
    breaker.judgeEnd();
    expect(reason()).toBeUndefined();
  });

  test('and for want of a quota also by such calls, since they are not to blame', () => {
    const { breaker, times, reason } = openTestBreaker();
    const again = ['QUOTA_SPENT', 'refused: no', true] as const;
    times(4, () => breaker.noteRefusal(...again));
    expect(reason()).toBeUndefined();
    breaker.noteRefusal(...again);
    expect(reason()).toMatchObject({ code: 'QUOTA_SPENT' });
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

  test('when calls fail for good after another was answered', () => {
    const { breaker, times, reason } = openTestBreaker();
    breaker.noteFailedCall(...failed(500));
    breaker.noteAnswer('miss');
    times(5, () => breaker.noteFailedCall(...failed(500)));
    breaker.judgeEnd();
    expect(reason()).toBeUndefined();
  });

  test('when one or two calls got an HTTP answer, but none that is of use', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(2, () => breaker.noteFailedCall(...failed(404)));
    breaker.judgeEnd();
    expect(reason()).toBeUndefined();
  });

  test('when only calls fail that had failed in an earlier execution', () => {
    const { breaker, times, reason } = openTestBreaker();
    times(9, () => breaker.noteFailedCall(...failed(500, false, true)));
    breaker.noteFailedCall(...failed(0, false, true));
    breaker.judgeEnd();
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
    breaker.noteFailedCall(...failed(500));
    times(100, () => breaker.noteAnswer('invalid', 'no'));
    expect(reason()).toBeUndefined();
  });
});

test('a service is proven by its first hit, and by nothing else', () => {
  const { breaker } = openTestBreaker();
  for (const kind of ['miss', 'invalid', 'oversized'] as const) breaker.noteAnswer(kind);
  expect(breaker.isProven).toBe(false);
  breaker.noteAnswer('hit');
  expect(breaker.isProven).toBe(true);
});
