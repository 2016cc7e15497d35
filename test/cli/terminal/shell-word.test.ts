import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../../src/cli/terminal/shell-word.ts';
import { testWhere } from '../../support/needs.ts';

test.each([
  ['leads.csv', 'leads.csv'],
  ['my leads.csv', "'my leads.csv'"],
  ["it's", String.raw`'it'\''s'`],
  ['a\u001b[31m\u202e', String.raw`$'a\u001b[31m\u202e'`],
])('%j is written as %s', (text, word) => expect(shellWord(text)).toBe(word));

testWhere('bash')('a shell reads it as it was, commands to the terminal included', () => {
  for (const text of ['my leads.csv', "it's", "a\u001b[31m \\n 'b'\u009b"]) {
    const printed = execFileSync('bash', ['-c', `printf %s ${shellWord(text)}`], {
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    });
    expect(printed.toString()).toBe(text);
  }
});
