import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureProcess, type ProcessResult } from '../harness/measured-process.ts';
import { benchKey, dossierMain } from '../harness/programs.ts';

const connections = 64;

/** Wall time, and CPU time of all threads. */
export interface Spent {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export interface Steps {
  readonly rows: number;
  readonly calls: number;
  readonly reading: Spent;
  readonly calling: Spent;
  readonly writing: Spent;
}

const here = (name: string) => join(import.meta.dirname, name);

/** Runs the bare loop, which is the ceiling of all other figures. */
export async function bareLoop(url: string, requests: number): Promise<Spent> {
  const args = [here('bare-loop.ts'), url, String(requests), String(connections)];
  return JSON.parse((await measureProcess(args)).stdout) as Spent;
}

/** Runs `dossier run` in a process of its own. */
export function dossierRun(
  url: string,
  list: string,
  paths: { ledger: string; output: string },
  flags: readonly string[] = ['--rate', 'none', '--concurrency', String(connections)],
  main: string = dossierMain,
): Promise<ProcessResult> {
  const pathFlags = ['--ledger', paths.ledger, '--output', paths.output];
  const args = [main, 'run', list, '--url', url, ...flags, ...pathFlags, '--json'];
  return measureProcess(args, { DOSSIER_API_KEY: benchKey });
}

/** Runs the simple script. */
export function commonScript(url: string, list: string, target: string): Promise<ProcessResult> {
  return measureProcess([here('common-script.ts'), url, list, target]);
}

/** Runs the plain composition of the same packages, over a database that does not exist yet. */
export function plainComposition(
  url: string,
  list: string,
  folder: string,
): Promise<ProcessResult> {
  const database = join(folder, 'plain.db');
  for (const path of [database, `${database}-wal`, `${database}-shm`])
    rmSync(path, { force: true });
  const program = here('plain-composition.ts');
  return measureProcess([program, url, list, join(folder, 'plain.csv'), database]);
}

export async function stepsOfARun(
  url: string,
  list: string,
  paths: { ledger: string; output: string },
): Promise<Steps & ProcessResult> {
  const args = [here('steps-of-a-run.ts'), list, url, paths.ledger, paths.output];
  const result = await measureProcess(args, { DOSSIER_API_KEY: benchKey });
  return { ...result, ...(JSON.parse(result.stdout) as Steps) };
}

/** Paths of a ledger and an output folder that do not exist: earlier ones are removed. */
export function freshPaths(folder: string): { ledger: string; output: string } {
  const paths = { ledger: join(folder, 'ledger.db'), output: join(folder, 'output') };
  for (const path of [paths.ledger, `${paths.ledger}-wal`, `${paths.ledger}-shm`]) {
    rmSync(path, { force: true });
  }
  rmSync(paths.output, { recursive: true, force: true });
  return paths;
}
