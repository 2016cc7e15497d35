import { type Readable, Writable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { createProgress, guardTerminal, writeLines } from '../../../src/cli/terminal/terminal.ts';
import { printedOn, terminal } from '../../support/terminal.ts';

afterEach(() => vi.unstubAllEnvs());

function shownOn(columns: number, text: string): string {
  vi.stubEnv('CI', '');
  vi.stubEnv('TERM', 'xterm');
  const stream = Object.assign(terminal(columns), { isTTY: true as const });
  const progress = createProgress(stream);
  progress.show(() => text, 0.5);
  progress.clear();
  progress.clear();
  return printedOn(stream as unknown as Readable);
}

const text = 'calling  53/106 calls  127/204 rows  9.8/s  5s left  64 matched  13 not found';

test('a narrow terminal shows fewer parts, and cuts none', () => {
  expect(shownOn(80, text)).toContain('9.8/s  5s left\r');
  expect(shownOn(200, text)).toContain('64 matched  13 not found\r');
});

test('fetching a list shows progress on a terminal, but not in a log', () => {
  const shownAt = (changes: object) => {
    vi.stubEnv('CI', '');
    vi.stubEnv('TERM', 'xterm');
    const stream = Object.assign(terminal(80), changes);
    createProgress(stream).showReceived(12_400_000, 31_000_000);
    return printedOn(stream as unknown as Readable);
  };
  expect(shownAt({ isTTY: true })).toContain('40% fetching the list  12.4 MB');
  expect(shownAt({})).toBe('');
});

test('the progress line is cleared only once', () => {
  expect(shownOn(80, text).split('\u001b[2K')).toHaveLength(3);
});

test.each([
  ['CI', 'true'],
  ['TERM', 'dumb'],
])('with %s=%s nothing is redrawn', (name, value) => {
  vi.stubEnv(name, value);
  const stream = Object.assign(terminal(80), { isTTY: true as const });
  const progress = createProgress(stream);
  progress.show(() => text, 0.5);
  expect(printedOn(stream as unknown as Readable)).toBe('');
});

function writtenTo(changes: object, text: string): string {
  const stream = Object.assign(terminal(80), changes);
  guardTerminal(stream);
  stream.write(text);
  stream.write(Buffer.from('bytes\u001b'));
  return printedOn(stream as unknown as Readable);
}

test('a terminal gets only our own escape sequences', () => {
  const ours = '\r\u001b[2K\u001b[36m██\u001b[39m 50%\n';
  const foreign = '\u001b[2J\u001b]0;x\u0007\r\u009b31m';
  const shown = '\\u001b[2J\\u001b]0;x\\u0007\\u000d\\u009b31m';
  expect(writtenTo({ isTTY: true }, ours + foreign)).toBe(`${ours}${shown}bytes\u001b`);
});

test('a log gets no escape sequences', () => {
  vi.stubEnv('FORCE_COLOR', undefined);
  expect(writtenTo({}, '\u001b[31mred\u001b[39m')).toBe('\\u001b[31mred\\u001b[39mbytes\u001b');
});

test('lines wait for a slow reader and all arrive', async () => {
  const count = 50_000;
  let received = 0;
  let produced = 0;
  let mostWaiting = 0;
  const slow = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, done) {
      received += chunk.toString().split('\n').length - 1;
      setImmediate(done);
    },
  });
  async function* lines() {
    for (; produced < count; produced += 1) {
      mostWaiting = Math.max(mostWaiting, produced - received);
      yield `line ${produced}`;
    }
  }
  await writeLines(slow, lines());
  await new Promise((resolve) => slow.end(resolve));
  expect(received).toBe(count);
  expect(mostWaiting).toBeLessThan(20_000);
});
