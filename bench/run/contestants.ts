import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureProcess, type ProcessResult } from '../harness/measured-process.ts';
import { benchKey, dossierMain } from '../service/dossier-command.ts';

export const connections = 64;

/** Time on the wall, and on the cores for all threads together. */
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

/** The same requests through undici alone: what everything else is held against. */
export async function bareLoop(url: string, requests: number): Promise<Spent> {
  const args = [here('bare-loop.ts'), url, String(requests), String(connections)];
  return JSON.parse((await measureProcess(args)).stdout) as Spent;
}

/** The command as people run it, from its start to its end. */
export function dossierRun(
  url: string,
  list: string,
  places: { ledger: string; output: string },
  flags: readonly string[] = ['--rate', 'none', '--concurrency', String(connections)],
): Promise<ProcessResult> {
  const where = ['--ledger', places.ledger, '--output', places.output];
  const args = [dossierMain, 'run', list, '--url', url, ...flags, ...where, '--json'];
  return measureProcess(args, { DOSSIER_API_KEY: benchKey });
}

/** The script that most people would write. */
export function commonScript(url: string, list: string, target: string): Promise<ProcessResult> {
  return measureProcess([here('common-script.ts'), url, list, target]);
}

export async function stepsOfARun(
  url: string,
  list: string,
  places: { ledger: string; output: string },
): Promise<Steps & ProcessResult> {
  const args = [here('steps-of-a-run.ts'), list, url, places.ledger, places.output];
  const result = await measureProcess(args, { DOSSIER_API_KEY: benchKey });
  return { ...result, ...(JSON.parse(result.stdout) as Steps) };
}

/** Places in which nothing is known yet. */
export function freshPlaces(folder: string): { ledger: string; output: string } {
  const places = { ledger: join(folder, 'ledger.db'), output: join(folder, 'output') };
  for (const path of [places.ledger, `${places.ledger}-wal`, `${places.ledger}-shm`]) {
    rmSync(path, { force: true });
  }
  rmSync(places.output, { recursive: true, force: true });
  return places;
}
