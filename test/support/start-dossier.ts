import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { cleanEnvironment } from './clean-environment.ts';
import type { RunOptions } from './run-dossier.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

export interface RunningCommand extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a command and leaves it running, so that a test can look at it or kill it. */
export function startDossier(args: readonly string[], options: RunOptions): RunningCommand {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd,
    env: cleanEnvironment(options.env),
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  return { process: child, stop, [Symbol.asyncDispose]: () => stop('SIGKILL') };
}
