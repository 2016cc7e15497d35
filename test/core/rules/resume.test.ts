import { expect, test } from 'vitest';
import { type InputStamp, isResumable } from '../../../src/core/rules/resume.ts';

const file: InputStamp = { kind: 'file', stamp: 'leads.csv 100 1' };

test.each<[string, string, InputStamp, string | null, boolean]>([
  ['is resumed for the same job and list', 'f', file, file.stamp, true],
  ['is resumed when its list is gone', 'f', { kind: 'gone' }, file.stamp, true],
  ['is not resumed for another job', 'g', file, file.stamp, false],
  ['is not resumed for another list', 'f', file, 'leads.csv 101 2', false],
  ['is not resumed for a pipe', 'f', { kind: 'pipe' }, null, false],
  ['that came from a pipe is not resumed when a file is gone', 'f', { kind: 'gone' }, null, false],
])('an unfinished run %s', (_, jobFingerprint, input, inputStamp, isResumed) => {
  const basis = { jobFingerprint, input };
  const run = { jobFingerprint: 'f', inputStamp };
  expect(isResumable({ ...run, state: 'open' }, basis)).toBe(isResumed);
  for (const state of ['ingesting', 'finished', 'superseded']) {
    expect(isResumable({ ...run, state }, basis)).toBe(false);
  }
});
