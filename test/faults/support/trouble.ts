import { expect } from 'vitest';
import { type ErrorCode, errorCatalog } from '../../../src/core/errors.ts';
import { expectRemedy } from './expect-remedy.ts';
import { type Ended, worldKey } from './world.ts';

/** The process stopped with one of these errors: exit code, message and remedy, no stack trace. */
export function expectTrouble({ by, stderr }: Ended, ...codes: readonly ErrorCode[]): void {
  const code = codes.find((candidate) => stderr.includes(`dossier: ${candidate}: `));
  expect(code, `none of ${codes.join(', ')} is told, but: ${stderr}`).toBeDefined();
  if (code === undefined) return;
  const { exitCode, remedy } = errorCatalog[code];
  expect(by, stderr).toBe(exitCode);
  expectRemedy(stderr, remedy);
  expectNoTrace(stderr);
}

export function expectNoTrace(stderr: string): void {
  expect(stderr).not.toMatch(/\n\s+at |bug in Dossier|Warning:/);
  expect(stderr).not.toContain(worldKey);
}
