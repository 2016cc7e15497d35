import { expect } from 'vitest';
import { budgetRemedy } from '../../../src/core/errors/catalog.ts';
import { type ErrorCode, errorCatalog } from '../../../src/core/errors.ts';
import { type Ended, worldKey } from './world.ts';

/** The process stopped with one of these errors: exit code, message and remedy, no stack trace. */
export function expectTrouble({ by, stderr }: Ended, ...codes: readonly ErrorCode[]): void {
  const code = codes.find((candidate) => stderr.includes(`dossier: ${candidate}: `));
  expect(code, `none of ${codes.join(', ')} is told, but: ${stderr}`).toBeDefined();
  if (code === undefined) return;
  const { exitCode, remedy } = errorCatalog[code];
  expect(by, stderr).toBe(exitCode);
  // A budget says when it resets.
  const said = code === 'BUDGET_SPENT' ? budgetRemedy('') : remedy;
  // Commands have the job of the user in place of `<job>`, and end with the user's own flags.
  for (const part of said.split(/<job>|`|\. /)) expect(stderr).toContain(part);
  expect(stderr).not.toContain('<job>');
  expectNoTrace(stderr);
}

/** The process stopped with this error, which says this. */
export function expectToStop(ended: Ended, code: ErrorCode, sentence: string | RegExp = ''): void {
  expectTrouble(ended, code);
  if (typeof sentence === 'string') expect(ended.stderr).toContain(sentence);
  else expect(ended.stderr).toMatch(sentence);
}

/** The run came to its end: 0, or 3 when some rows failed. */
export function expectToEnd({ by, stderr }: Ended, exitCode: 0 | 3 = 0): void {
  expect(by, stderr).toBe(exitCode);
  expectNoTrace(stderr);
}

export function expectNoTrace(stderr: string): void {
  expect(stderr).not.toMatch(/\n\s+at |bug in Dossier|Warning:/);
  expect(stderr).not.toContain(worldKey);
}
