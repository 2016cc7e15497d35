import { expect, test } from 'vitest';
import { isResumableWithoutList } from '../../../src/core/rules/resume.ts';

test.each([
  ['is resumed for the same job and path', 'f', '/leads.csv', '/leads.csv', true],
  ['is not resumed for another job', 'g', '/leads.csv', '/leads.csv', false],
  ['is not resumed for another path', 'f', '/leads2.csv', '/leads.csv', false],
  ['that came from a pipe is not resumed', 'f', '/leads.csv', null, false],
])(
  'without its list, an unfinished run %s',
  (_, jobFingerprint, inputPath, inputStamp, isResumed) => {
    const basis = { jobFingerprint, inputPath };
    const run = { jobFingerprint: 'f', inputPath: '/leads.csv', inputStamp };
    expect(isResumableWithoutList({ ...run, state: 'open' }, basis)).toBe(isResumed);
    for (const state of ['ingesting', 'finished', 'superseded']) {
      expect(isResumableWithoutList({ ...run, state }, basis)).toBe(false);
    }
  },
);
