import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Correction, putCorrections, readCorrections } from '../../src/job/corrections.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const at = '2026-11-16T00:00:00.000Z';
const one: Correction = { row_key: '1', column: 'website', was: 'a,com', now: 'a.com', at };
const two: Correction = { ...one, row_key: '2', was: 'ü "b"\n', now: 'b.com' };

test('an invalid line is named with its number, and an unreadable file as a file', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'job.fixed.jsonl');
  const good = JSON.stringify(one);
  for (const [line, message] of [
    ['{', 'is not a JSON object'],
    [good.replace('"now"', '"new"'), 'now'],
    ['[]', 'expected object'],
  ] as const) {
    writeFileSync(path, `\uFEFF${good}\r\n\n${line}\n`);
    expect(() => readCorrections(path)).toThrow(`${path}:3`);
    expect(() => readCorrections(path)).toThrow(message);
  }
  const unreadable = expect.objectContaining({ code: 'INPUT_UNREADABLE' });
  expect(() => readCorrections(folder.path)).toThrow(unreadable);
});

test('a cell that is fixed again keeps its line, and one that says the same is left alone', () => {
  const later = '2026-11-17T00:00:00.000Z';
  const again = { ...one, at: later };
  const other = { ...one, now: 'aa.com', at: later };
  expect(putCorrections([one, two], [again])).toEqual([one, two]);
  expect(putCorrections([one, two], [other])).toEqual([other, two]);
  const rejectedAgain = { ...one, was: 'a.con' };
  expect(putCorrections([one, two], [rejectedAgain])).toEqual([one, two, rejectedAgain]);
});
