import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { residentMiB } from '../harness/server-process.ts';

export const dossierMain = join(import.meta.dirname, '../../src/main.ts');

export const benchKey = 'key-of-the-bench';

export interface Load {
  readonly companies: number;
  readonly seconds: number;
  /** Highest memory of the process in each half of its time. */
  readonly peakMiB: { readonly firstHalf: number; readonly secondHalf: number };
}

const sampleMs = 50;

/** Fills a store with `dossier load` and samples the memory of the process. */
export async function loadStore(file: string, store: string): Promise<Load> {
  const args = [dossierMain, 'load', file, '--store', store, '--strict', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const memory: number[] = [];
  const watch = setInterval(() => memory.push(residentMiB(child.pid)), sampleMs);
  const [summary, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  clearInterval(watch);
  if (exitCode !== 0) throw new Error(`load ended with ${exitCode}`);
  const { companies, seconds } = JSON.parse(summary) as { companies: number; seconds: number };
  const half = memory.length / 2;
  const peakOf = (samples: readonly number[]) =>
    samples.filter(Number.isFinite).reduce((most, sample) => Math.max(most, sample), 0);
  return {
    companies,
    seconds,
    peakMiB: { firstHalf: peakOf(memory.slice(0, half)), secondHalf: peakOf(memory.slice(half)) },
  };
}
