import type { Readable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { openProgress } from '../../../src/cli/terminal/progress.ts';
import { printedOn, terminal } from '../../support/terminal.ts';

afterEach(() => vi.unstubAllEnvs());

function shownOn(columns: number, text: string): string {
  vi.stubEnv('CI', '');
  vi.stubEnv('TERM', 'xterm');
  const stream = Object.assign(terminal(columns), { isTTY: true as const });
  const progress = openProgress(stream);
  progress.show(text, 0.5);
  progress[Symbol.dispose]();
  progress[Symbol.dispose]();
  return printedOn(stream as unknown as Readable);
}

const text = 'calling  53/106 calls  127/204 rows  9.8/s  5s left  64 matched  13 not found';

test('a narrow terminal shows fewer parts, and none of them cut', () => {
  expect(shownOn(80, text)).toContain('9.8/s  5s left\r');
  expect(shownOn(200, text)).toContain('64 matched  13 not found\r');
});

test('the line is cleared once, so that nothing that follows it is', () => {
  expect(shownOn(80, text).split('\u001b[2K')).toHaveLength(3);
});

test.each([
  ['CI', 'true'],
  ['TERM', 'dumb'],
])('nothing redraws itself where %s is %s', (name, value) => {
  vi.stubEnv(name, value);
  const stream = Object.assign(terminal(80), { isTTY: true as const });
  using progress = openProgress(stream);
  progress.show(text, 0.5);
  expect(printedOn(stream as unknown as Readable)).toBe('');
});
