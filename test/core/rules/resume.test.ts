import { expect, test } from 'vitest';
import {
  hasReadTheSame,
  type InputStamp,
  isResumable,
  ownAnswersSince,
} from '../../../src/core/rules/resume.ts';
import { day } from '../../support/test-job.ts';

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

test.each([
  ['the same', {}, true],
  ['of another job', { jobFingerprint: 'g' }, false],
  ['with other cells', { inputSha256: 'b' }, false],
  ['with other headers', { columns: ['website', 'name'] }, false],
])('a list that is read again is told by what it holds: %s', (_, changes, isSame) => {
  const list = { jobFingerprint: 'f', inputSha256: 'a', columns: ['website'] };
  expect(hasReadTheSame({ ...list, state: 'open' }, { ...list, ...changes })).toBe(isSame);
  expect(hasReadTheSame({ ...list, state: 'finished' }, list)).toBe(false);
});

test.each([
  ['its own, where the run before it has finished', undefined, 100 * day],
  ['also those of unfinished runs before it', 98 * day, 98 * day],
  ['but none that came more than a week before it', 60 * day, 93 * day],
])('answers that a run need not pay for again: %s', (_, unfinishedSince, since) => {
  expect(ownAnswersSince({ startedAt: 100 * day }, unfinishedSince)).toBe(since);
});
