import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { isOnPath, testIf } from '../support/needs.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const isRoot = process.getuid?.() === 0;
const testAsFirstProcess = testIf(
  isRoot && isOnPath('unshare'),
  'a process 1 of our own takes root and unshare',
);

/** Starts a command as process 1 of a namespace, as a container does, and waits for its words. */
async function startAsFirst(args: readonly string[], words: RegExp) {
  const all = ['--pid', '--fork', '--kill-child', '--', process.execPath, main, ...args];
  const child = spawn('unshare', all, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  child.stdin.on('error', () => {});
  // Enough that it begins to answer, and no end: it waits for more.
  child.stdin.write('acme.com\n'.repeat(20_000));
  while (!words.test(said) && child.exitCode === null) await delay(20);
  const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return { ended, kill: (signal: NodeJS.Signals) => process.kill(Number(first), signal) };
}

testAsFirstProcess('as process 1, a command with nothing to save ends at once', async () => {
  const { ended, kill } = await startAsFirst(['identify', '-'], /acme\.com/);
  kill('SIGTERM');
  expect(await ended).toBe(143);
});

testAsFirstProcess('as process 1, a command that has to tidy up does so first', async () => {
  const { ended, kill } = await startAsFirst(['serve', '--port', '0'], /service\.started/);
  kill('SIGTERM');
  expect(await ended).toBe(0);
});
