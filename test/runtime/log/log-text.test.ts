import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { flatTextLine, formatText } from '../../../src/runtime/log/log.ts';

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

test('a line that skips JSON reads as one that does not', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.object(),
  );
  const facts = fc.dictionary(fc.stringMatching(/^[a-zA-Z]\w{0,8}$/), anything);
  fc.assert(
    fc.property(facts, fc.constantFrom('run.started', 'a b', ''), (given, event) => {
      const flat = flatTextLine('t', 40, [given, event]);
      if (flat !== undefined) expect(flat).toBe(formatText(asJson(given, event)));
    }),
  );
});

test.each([
  [[{ a: {} }, 'e']],
  [[{ a: [1] }, 'e']],
  [[{ a: 1n }, 'e']],
  [[{ time: 'mine' }, 'e']],
  [[new Error('no'), 'e']],
  [[null, 'e']],
  [[{ a: 1 }]],
  [['%s', 'e', 'more']],
])('what is no plain event is left to the logger: %#', (given) => {
  expect(flatTextLine('t', 30, given)).toBeUndefined();
});

test('an event needs no facts', () => {
  expect(flatTextLine('t', 30, ['service.stopped'])).toBe('t info  service.stopped');
});

function asJson(facts: object, event: string): string {
  let written = '';
  const log = pino(
    {
      base: null,
      messageKey: 'event',
      timestamp: () => ',"time":"t"',
      formatters: { level: (label) => ({ level: label }) },
    },
    {
      write: (line) => {
        written = line;
      },
    },
  );
  log.warn(facts, event);
  return written;
}
