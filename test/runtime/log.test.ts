import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { formatText } from '../../src/runtime/log.ts';

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
  [null, 'a=null'],
  [{ b: 1 }, 'a={"b":1}'],
])('%j becomes one word that no terminal obeys', (value, text) => {
  expect(formatText(JSON.stringify({ time: 't', level: 'warn', event: 'e', a: value }))).toBe(
    `t warn  e ${text}`,
  );
});

test.each(['', 'process.exit(0)', 'setImmediate(() => process.exit(0))'])(
  'lines that wait for each other are all written at the end: %s',
  async (ending) => {
    const log = join(import.meta.dirname, '../../src/runtime/log.ts');
    const program = `
      import { openLog } from ${JSON.stringify(log)};
      const log = openLog({ format: 'text', isBuffered: true });
      for (let line = 0; line < 5000; line += 1) log.info({ line }, 'line.written');
      ${ending}`;
    const { stderr } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '--eval',
      program,
    ]);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(5_000);
    expect(lines.at(-1)).toMatch(/line\.written line=4999$/);
  },
);
