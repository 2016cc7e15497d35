import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from './temporary-folder.ts';

export interface ProcessResult {
  /** Wall time from the start of the process to its end. */
  readonly seconds: number;
  /** CPU time of all threads. */
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly stdout: string;
}

const tellUsage = join(import.meta.dirname, 'tell-usage.ts');

/** Runs a module in a process of its own and measures its time and memory. */
export async function measureProcess(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  using folder = temporaryFolder();
  const usageFile = join(folder.path, 'usage.json');
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', tellUsage, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, BENCH_USAGE_FILE: usageFile },
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  const seconds = (performance.now() - startedAt) / 1_000;
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  const usage = JSON.parse(readFileSync(usageFile, 'utf8')) as {
    cpuSeconds: number;
    peakMiB: number;
  };
  return { seconds, ...usage, stdout };
}
