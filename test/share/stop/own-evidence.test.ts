import { expect, test } from 'vitest';
import { openOwnEvidence } from '../../../src/share/stop/own-evidence.ts';

const down = { code: 'SERVICE_DOWN', atMs: 1_000 } as const;
const miss = (fetchedAt: number) => ({ verdict: { kind: 'miss' } as const, fetchedAt });
const failure = (fetchedAt: number) => ({
  verdict: { kind: 'transient', reason: 'HTTP 500' } as const,
  fetchedAt,
});

test('a run that was never answered believes that the service is down', () => {
  const evidence = openOwnEvidence();
  evidence.note(failure(900));
  expect(evidence.confirms(down)).toBe(true);
});

test('a run that is answered goes on until a call of its own fails, too', () => {
  const evidence = openOwnEvidence();
  evidence.note(miss(900));
  evidence.note(failure(950));
  expect(evidence.confirms(down)).toBe(false);
  evidence.note(failure(1_100));
  expect(evidence.confirms(down)).toBe(true);
  evidence.note(miss(1_200));
  expect(evidence.confirms(down)).toBe(false);
});

test('about the key and the quota one word is enough', () => {
  const evidence = openOwnEvidence();
  evidence.note(miss(1_100));
  expect(evidence.confirms({ ...down, code: 'KEY_REFUSED' })).toBe(true);
  expect(evidence.confirms({ ...down, code: 'QUOTA_SPENT' })).toBe(true);
});
