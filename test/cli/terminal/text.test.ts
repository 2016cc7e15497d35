import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortened, wrapped } from '../../../src/cli/terminal/text.ts';
import { printable } from '../../../src/core/values/printable.ts';
import { shellWord } from '../../../src/platform/files/local-path.ts';
import { testWhere } from '../../support/needs.ts';

test('wrapped text fits and keeps every character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 60 }), (text, width) => {
      const lines = wrapped(text, width);
      for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(printable(text).replaceAll(' ', ''));
    }),
  );
});

test('a shortened text is one line with an ellipsis', () => {
  expect(shortened('two\nlines', 20)).toBe('two lines');
  expect(shortened('a long line', 6)).toBe('a lon…');
});

test.each([
  ['leads.csv', 'leads.csv'],
  ['my leads.csv', "'my leads.csv'"],
  ["it's", String.raw`'it'\''s'`],
  ['a\u001b[31m\u202e', String.raw`$'a\u001b[31m\u202e'`],
])('%j is written as %s', (text, word) => expect(shellWord(text)).toBe(word));

testWhere('bash')('a shell reads a quoted word unchanged, including control characters', () => {
  for (const text of ['my leads.csv', "it's", "a\u001b[31m \\n 'b'\u009b"]) {
    const printed = execFileSync('bash', ['-c', `printf %s ${shellWord(text)}`], {
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    });
    expect(printed.toString()).toBe(text);
  }
});
