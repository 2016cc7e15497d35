import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

export interface ServerProcess {
  readonly child: ChildProcess;
  /** Resolves when it has said that it takes connections. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
}

export interface LaunchOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  /** What its log says when it takes connections. */
  readonly readyText: string;
  /** Ends the server without leaving processes of its own behind. */
  readonly endSignal: NodeJS.Signals;
}

/** Starts a server that tells in its log when it is ready. */
export function launchServer(
  program: string,
  args: readonly string[],
  { readyText, endSignal, ...options }: LaunchOptions,
): ServerProcess {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  running.set(child, endSignal);
  let log = '';
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => {
      running.delete(child);
      resolve();
    });
  });
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        if (log.includes(readyText)) resolve();
      });
    }
    ended.then(() => reject(new Error(`${program} ended before it was ready: ${log}`)), reject);
  });
  return { child, ended, ready };
}

const running = new Map<ChildProcess, NodeJS.Signals>();
const lastWork: (() => Promise<void>)[] = [];

/** Does something when Vitest ends this worker. */
export function atEndOfWorker(work: () => Promise<void>): void {
  lastWork.push(work);
}

// Vitest ends its workers by SIGTERM. A test that has timed out has left its servers behind.
process.once('SIGTERM', async () => {
  await Promise.allSettled(lastWork.map((work) => work()));
  for (const [child, signal] of running) child.kill(signal);
  process.exit();
});
