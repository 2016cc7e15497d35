import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ShareJson, shareJson } from '../../../src/cli/status/share-json.ts';
import { shareText } from '../../../src/cli/status/share-text.ts';
import type { ShareFacts } from '../../../src/share/view/share-facts.ts';

const at = Date.parse('2026-11-16T04:12:09.000Z');
const member = { id: 'run-1', machine: 'host-a', pid: 7, version: '0.1.0', startedAt: at - 60_000 };
const facts: ShareFacts = {
  seenAt: at,
  calls: { waiting: 1_204, active: 16, delayed: 0 },
  members: [
    { ...member, kind: 'run', job: 'nightly', concurrency: 0 },
    { ...member, kind: 'worker', machine: 'host-b', concurrency: 1 },
  ],
  workers: 1,
  rate: { allowed: 42.499, used: 42, loweredBy: 'throttled', asked: [50, 80] },
  throttledUntil: at + 20_000,
  stop: { code: 'QUOTA_SPENT', message: 'nothing is left', machine: 'host-c', atMs: at - 1_000 },
  answers: { count: 3, bytes: 4_100 },
};
const place = { service: 'https://api.example.com', redis: 'redis.internal:6379' };
const stream = Object.assign(new PassThrough(), { columns: 100 }) as unknown as NodeJS.WriteStream;
const textOf = (some: Partial<ShareFacts>) =>
  shareText(ShareJson.parse(shareJson(place, { ...facts, ...some })), stream);

test('a share is told with its queue, rate, throttle, stop and members', () => {
  expect(textOf({})).toBe(`https://api.example.com, shared through redis.internal:6379
queue    1,204 waiting, 16 active, 0 delayed
rate     42 of 42.5 requests in the last second; lowered, since the service has throttled calls
         (asked for: 50, 80)
         throttled for 20s, until 04:12:29 UTC
answers  3 kept, 4.1 KB
stopped  QUOTA_SPENT: nothing is left (host-c, 2026-11-16 04:12 UTC)
run      nightly on host-a (pid 7), only waits, version 0.1.0, since 2026-11-16 04:11 UTC
worker   host-b (pid 7), 1 call at once, version 0.1.0, since 2026-11-16 04:11 UTC
`);
});

test('what others have written of themselves neither steers the terminal nor makes lines', () => {
  const text = textOf({
    members: [{ ...member, kind: 'worker', machine: 'host\nqueue    0\u001b[2J', concurrency: 1 }],
    stop: undefined,
  });
  expect(text).toContain('worker   host queue 0\\u001b[2J (pid 7)');
});

const unlimited = { allowed: undefined, used: undefined, loweredBy: undefined, asked: [] };

test('a rate that nothing limits is told as such, and equal wishes are not listed', () => {
  expect(textOf({ rate: unlimited })).toContain('rate     nothing limits it\n');
  expect(textOf({ rate: { ...facts.rate, asked: [50, 50] } })).not.toContain('asked for');
});

test('calls that nobody makes are told with what to do', () => {
  const text = textOf({
    members: [],
    workers: 0,
    rate: unlimited,
    throttledUntil: undefined,
    stop: undefined,
  });
  expect(text).toContain('rate     none is asked for\n');
  expect(text).toContain('there    no run and no worker\n');
  expect(text).toContain('No worker is there: start one with `dossier worker`');
  expect(text).not.toContain('throttled');
});
