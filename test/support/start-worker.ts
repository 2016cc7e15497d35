import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnvironment } from './clean-environment.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

export interface RunningWorker extends AsyncDisposable {
  /** Of its health and metrics. */
  readonly url: string;
  readonly pid: number;
  /** Standard error so far. */
  log(): string;
  /** What it answers to a path such as `/readyz`. */
  ask(path: string): Promise<{ status: number; text: string }>;
  /** Sends the signal and waits for the end; gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `dossier worker` on a free port, in the environment of a service and Redis, and waits until it serves. */
export async function startWorker(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<RunningWorker> {
  const flags = ['worker', '--port', '0', '--log-format', 'json', ...args];
  const child = spawn(process.execPath, [main, ...flags], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const started = log.split('\n').find((line) => line.includes('worker.started'));
      if (started?.endsWith('}')) resolve((JSON.parse(started) as { url: string }).url);
    });
    void ended.then((code) => reject(new Error(`the worker ended with ${code}: ${log}`)));
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return {
    ...{ url, stop, pid: child.pid ?? 0, log: () => log },
    async ask(path) {
      const response = await fetch(url + path);
      return { status: response.status, text: await response.text() };
    },
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  };
}
