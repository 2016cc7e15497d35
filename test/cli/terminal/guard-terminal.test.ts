import type { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { guardTerminal } from '../../../src/cli/terminal/guard-terminal.ts';
import { printedOn, terminal } from '../../support/terminal.ts';

function writtenTo(changes: object, text: string): string {
  const stream = Object.assign(terminal(80), changes);
  guardTerminal(stream);
  stream.write(text);
  stream.write(Buffer.from('bytes\u001b'));
  return printedOn(stream as unknown as Readable);
}

test('a terminal gets our colours and our progress line, and no other command', () => {
  const ours = '\r\u001b[2K\u001b[36m██\u001b[39m 50%\n';
  const foreign = '\u001b[2J\u001b]0;x\u0007\r\u009b31m';
  const shown = '\\u001b[2J\\u001b]0;x\\u0007\\u000d\\u009b31m';
  expect(writtenTo({ isTTY: true }, ours + foreign)).toBe(`${ours}${shown}bytes\u001b`);
});

test('a log gets none', () => {
  vi.stubEnv('FORCE_COLOR', undefined);
  expect(writtenTo({}, '\u001b[31mred\u001b[39m')).toBe('\\u001b[31mred\\u001b[39mbytes\u001b');
});
