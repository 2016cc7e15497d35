import { expect, test } from 'vitest';
import { formatText } from '../../src/platform/log.ts';

test('a line is an event with its facts', () => {
  const line =
    '{"level":"info","time":"2026-08-22T04:12:09.113Z","rows":5000,"event":"run.started"}';
  expect(formatText(line)).toBe('2026-08-22T04:12:09.113Z info  run.started rows=5000');
});

test.each([
  ['one', 'a=one'],
  ['two words', 'a="two words"'],
  ['', 'a=""'],
  ['\u001b[31mred', String.raw`a="\u001b[31mred"`],
  ['line\nbreak', String.raw`a="line\nbreak"`],
  ['\u009b31m\u007f', String.raw`a="\u009b31m\u007f"`],
  ['a\u202eb', String.raw`a="a\u202eb"`],
  [{ b: '\u009b' }, String.raw`a={"b":"\u009b"}`],
  [null, 'a=null'],
  [{ b: 1 }, 'a={"b":1}'],
])('%j becomes one word that no terminal obeys', (value, text) => {
  expect(formatText(JSON.stringify({ time: 't', level: 'warn', event: 'e', a: value }))).toBe(
    `t warn  e ${text}`,
  );
});
