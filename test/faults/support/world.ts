import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment } from '../../support/clean-environment.ts';
import {
  type HostileServer,
  openHostileServer,
  type Reaction,
} from '../../support/hostile-server.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answerTruly, defaultShape, jobOf, listOf, type Shape } from './sample-job.ts';

export const worldKey = 'key-of-the-fault-suite';
const main = join(import.meta.dirname, '../../../src/main.ts');

type Request = HostileServer['seen'][number];

/** A request as the service saw it. */
export interface Asked extends Request {
  /** The canonical text of the call, equal for requests of the same call. */
  readonly call: string;
  /** Whether the reaction was a fault and not the true answer. */
  readonly isTroubled: boolean;
}

/** The reaction to a request; undefined for the true answer. */
export type React = (
  request: Request,
  index: number,
) => Reaction | undefined | Promise<Reaction | undefined>;

export interface Ended {
  /** The exit code, or the signal that ended the process. */
  readonly by: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface StartOptions {
  /** Arguments after `run job.yaml --json`, or another command. */
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  /** Options of Node itself, such as a module to load first. */
  readonly nodeOptions?: readonly string[];
  /** A program that starts another, such as strace with its options. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A service in this process that counts requests. */
export interface CountingService extends AsyncDisposable {
  readonly url: string;
  /** Every request that has arrived, in order. */
  asked(): Asked[];
  /** Waits until this many requests have arrived. */
  untilAsked(requests: number): Promise<void>;
}

/** A folder with a list and a job, and the command line in a process of its own. */
export interface Machine extends AsyncDisposable {
  readonly shape: Shape;
  readonly folder: string;
  readonly ledger: string;
  readonly output: string;
  /** Starts a process of its own, which a test may kill or stop. */
  start(options?: StartOptions): Running;
  /** Runs a command to its end. */
  run(options?: StartOptions): Promise<Ended>;
}

/** A service and a machine that asks it; `url` is there for a proxy in front of the service. */
export interface World extends CountingService, Machine {}

export async function openWorld(
  changes: Partial<Shape> = {},
  react: React = () => undefined,
): Promise<World> {
  const shape = { ...defaultShape, ...changes };
  const service = await openCountingService(shape, react);
  const machine = openMachine(service.url, shape);
  return {
    ...service,
    ...machine,
    async [Symbol.asyncDispose]() {
      await machine[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Answers truly where the reaction is undefined; of the shape, only `people` matters to it. */
export async function openCountingService(shape: Shape, react: React): Promise<CountingService> {
  const troubled = new Set<number>();
  const waiting: { requests: number; resolve: () => void }[] = [];
  const server = await openHostileServer(async (request, index) => {
    for (const { requests, resolve } of waiting) if (index + 1 >= requests) resolve();
    const trouble = await react(request, index);
    if (trouble) troubled.add(index);
    return trouble ?? answerTruly(shape, request);
  });
  return {
    url: server.url,
    asked: () =>
      server.seen.map((request, index) => ({
        ...request,
        call: `${request.method} ${request.path} ${request.body}`.trim(),
        isTroubled: troubled.has(index),
      })),
    untilAsked: (requests) =>
      new Promise((resolve) => {
        if (server.seen.length >= requests) resolve();
        else waiting.push({ requests, resolve });
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export function openMachine(serviceUrl: string, shape: Shape): Machine {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder.path, name);
  writeFileSync(path('leads.csv'), listOf(shape));
  writeFileSync(path('job.yaml'), JSON.stringify(jobOf(shape)));
  const running = new Set<ChildProcess>();

  const environmentOf = ({ env }: StartOptions) => ({
    DOSSIER_URL: serviceUrl,
    DOSSIER_API_KEY: worldKey,
    ...env,
  });

  const start = (options: StartOptions = {}): Running => {
    const node = [process.execPath, ...(options.nodeOptions ?? []), main, ...commandOf(options)];
    const [program = '', ...args] = [...(options.under ?? []), ...node];
    const child = spawn(program, args, {
      cwd: folder.path,
      env: cleanEnvironment(environmentOf(options)),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group, because killing a tracer does not kill the traced process, nor the reverse.
      detached: options.under !== undefined,
    });
    running.add(child);
    return { process: child, ended: endOf(child).finally(() => running.delete(child)) };
  };
  return {
    shape,
    folder: folder.path,
    ledger: path('ledger.db'),
    output: path('output'),
    start,
    async run(options = {}) {
      if (options.under || options.nodeOptions) return start(options).ended;
      const { exitCode, ...printed } = await runDossier(commandOf(options), {
        cwd: folder.path,
        env: environmentOf(options),
      });
      return { by: exitCode, ...printed };
    },
    async [Symbol.asyncDispose]() {
      for (const child of running) killGroup(child);
      folder[Symbol.dispose]();
    },
  };
}

function commandOf({ command, args = [] }: StartOptions): readonly string[] {
  return command ?? ['run', 'job.yaml', '--json', ...args];
}

function endOf(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ by: signal ?? code, ...output }));
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  child.kill('SIGKILL');
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has no group of its own, or has already ended.
  }
}
