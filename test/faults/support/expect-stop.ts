import { expect } from 'vitest';
import { type ErrorCode, errorCatalog } from '../../../src/core/errors.ts';
import { expectRemedy } from './expect-remedy.ts';
import type { Ended } from './world.ts';

/** The process stopped with this error: its exit code, a message and the remedy. */
export function expectToStop(ended: Ended, code: ErrorCode, sentence: string | RegExp = ''): void {
  const { exitCode, remedy } = errorCatalog[code];
  expect(ended.by, ended.stderr).toBe(exitCode);
  expect(ended.stderr).toContain(`dossier: ${code}: `);
  if (typeof sentence === 'string') expect(ended.stderr).toContain(sentence);
  else expect(ended.stderr).toMatch(sentence);
  expectRemedy(ended.stderr, remedy);
  expectNoTrace(ended);
}

/** The run came to its end: 0, or 3 when some rows failed. */
export function expectToEnd(ended: Ended, exitCode: 0 | 3 = 0): void {
  expect(ended.by, ended.stderr).toBe(exitCode);
  expectNoTrace(ended);
}

/** Standard error holds neither a stack trace nor a warning of Node. */
function expectNoTrace({ stderr }: Ended): void {
  expect(stderr).not.toMatch(/^\s+at \S+ ?\(?(file|node):/m);
  expect(stderr).not.toMatch(/this is a bug|\(node:\d+\)/i);
}
