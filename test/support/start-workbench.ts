import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobState } from '../../src/workbench/api/job-state.ts';
import { cleanEnvironment } from './clean-environment.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

export interface RunningWorkbench extends AsyncDisposable {
  readonly url: string;
  readonly process: ChildProcess;
  /** Asks as the page does, and gives what the server answers. */
  ask<Answer>(path: string, asked?: { method?: string; body?: unknown }): Promise<Answer>;
  /** Waits until a job stands as wanted. */
  until(job: string, isWanted: (state: JobState) => boolean): Promise<JobState>;
}

/** Starts `dossier ui` over a folder, without a browser. */
export async function startWorkbench(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningWorkbench> {
  const child = spawn(process.execPath, [main, 'ui', folder, '--no-open'], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { origin } = new URL(url);
  const ask = async <Answer>(
    path: string,
    { method = 'GET', body }: Parameters<RunningWorkbench['ask']>[1] = {},
  ) => {
    const headers = { origin, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${url}api/${path}`, { method, headers, ...sent });
    return (await response.json()) as Answer;
  };
  return {
    url,
    process: child,
    ask,
    async until(job, isWanted) {
      for (;;) {
        const state = await ask<JobState>(`state?job=${encodeURIComponent(job)}`);
        if (isWanted(state)) return state;
        await sleep(50);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
