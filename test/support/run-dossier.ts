import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from './clean-environment.ts';
import { runWarm } from './warm/run-warm.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

export interface Finished {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  input?: string | Buffer;
  /** Starts a process for this command alone, where a test is about its end or about several at once. */
  isAlone?: boolean;
}

/**
 * Runs a command line to its end, as a user does, without a terminal. Most of a short command is the
 * start of its process, so it runs in one that has run others before, unless that could show.
 */
export function runDossier(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  if (needsOwnProcess(args, options)) return runAlone(args, options);
  const { cwd = process.cwd(), env } = options;
  return runWarm({ args, cwd, env: cleanEnvironment(env) });
}

/** Waits for a command that has to end with 0. */
export async function succeeded<Ended extends Partial<Finished>>(ending: Promise<Ended>) {
  const ended = await ending;
  const { exitCode, stdout, stderr } = ended;
  if (exitCode !== 0) throw new Error(`ended with ${exitCode}: ${stderr || stdout}`);
  return ended;
}

/**
 * Node reads many variables only at its start, and a process has one standard input.
 */
function needsOwnProcess(
  args: readonly string[],
  { env = {}, input, isAlone = false }: RunOptions,
): boolean {
  const readsInput = input !== undefined || args.some((word) => /^-$|^\/dev\//.test(word));
  return isAlone || readsInput || !Object.keys(env).every((name) => readLater.test(name));
}

/** Variables that are read when they are needed: Dossier's own, those of a store, of a browser, and those that jobs of tests name. */
const readLater =
  /^DOSSIER_|^XDG_DATA_HOME$|^AWS_|_WEBHOOK$|^BUCKET$|^WAREHOUSE_URL$|^PATH$|^DISPLAY$/;

function runAlone(args: readonly string[], options: RunOptions): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd: options.cwd, env: cleanEnvironment(options.env), maxBuffer: 1 << 28 },
      (_error, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

export interface RunningCommand extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a command and does not wait for it, so that a test can watch or kill it. */
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

export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly process: ChildProcess;
  /** Standard error so far. */
  log(): string;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `dossier serve` on a free port and waits until it answers. */
export async function startService(
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunningService> {
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...args], {
    cwd: options.cwd,
    env: cleanEnvironment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const settings = new Map<string, string>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [name = '', value = ''] = line.split(/=(.*)/);
    settings.set(name, value);
  });
  const started = new Promise<void>((resolve) => {
    child.stderr.on('data', () => {
      if (log.includes('service.started')) resolve();
    });
  });
  await Promise.race([
    started,
    ended.then((code) => {
      throw new Error(`serve ended with ${code}: ${log}`);
    }),
  ]);
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return {
    url: settings.get('DOSSIER_URL') ?? '',
    key: settings.get('DOSSIER_API_KEY') ?? '',
    process: child,
    log: () => log,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  };
}
