import { expect, test } from 'vitest';
import { guardKey } from '../../../src/client/judge/guard-key.ts';
import type { CallOutcome } from '../../../src/contract/call.ts';

const key = 'secret-key-1234';

function withhold(key: string, outcome: CallOutcome) {
  return guardKey(key)(outcome);
}

function hit(body: string) {
  const facts = { status: 200, attempts: 1, durationMs: 1, companyId: 'c_1' };
  return { kind: 'hit', body: Buffer.from(body), ...facts } as const;
}

test('an answer that echoes the key is kept without it', () => {
  const outcome = withhold(key, hit(`{"id":"c_1","description":"asked with ${key}"}`));
  expect(outcome).toEqual(hit('{"id":"c_1","description":"asked with [redacted]"}'));
});

test('a key that is echoed as the id of the company is kept nowhere', () => {
  const outcome = withhold(key, { ...hit(`{"id":"${key}"}`), companyId: key });
  expect(outcome).toMatchObject({ companyId: '[redacted]' });
});

test('an answer with a key of digits in it can still be read', () => {
  const outcome = withhold('123456789012', hit('{"id":"c_1","account":123456789012}'));
  expect(outcome).toEqual(hit('{"id":"c_1","account":0}'));
});

test('an answer without the key keeps its bytes, even those that are no text', () => {
  const odd = { ...hit(''), body: Buffer.from([0x7b, 0xff, 0x7d]) };
  expect(withhold(key, odd)).toBe(odd);
});

test('a key that could be a word of the answer does not spoil it', () => {
  const outcome = hit('{"id":"c_1","keywords":[]}');
  expect(withhold('key', outcome)).toBe(outcome);
});

test('an outcome without an answer stays as it is', () => {
  const failed = { kind: 'failed', reason: 'HTTP 500', attempts: 4, durationMs: 9 } as const;
  expect(withhold(key, failed)).toBe(failed);
});
