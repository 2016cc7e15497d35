import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type HostileServer, openHostileServer, type Reaction } from '../support/hostile-server.ts';
import {
  type Finished,
  type RunOptions,
  runDossier,
  startDossier,
} from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { answerSample, type SampleService } from './sample-companies.ts';

export const journeyKey = 'key-of-the-journeys';

type Request = HostileServer['seen'][number];
type React = (request: Request, index: number) => Reaction | undefined;

export type Workplace = Awaited<ReturnType<typeof openWorkplace>>;

/** A folder, a service that counts requests, and a command line that uses both. */
export async function openWorkplace(service: SampleService, react: React = () => undefined) {
  const folder = temporaryFolder();
  const server = await openHostileServer(
    (request, index) => react(request, index) ?? answerSample(service, request),
  );
  const { url, seen } = server;
  const env = { DOSSIER_URL: url, DOSSIER_API_KEY: journeyKey };
  const withDefaults = (args: readonly string[], command: 'run' | 'fix') => {
    const rate = args.includes('--rate') ? [] : ['--rate', 'none'];
    return [command, ...args, ...rate, '--format', 'jsonl', '--output', 'output', '--json'];
  };
  const command = (name: 'run' | 'fix', args: readonly string[], options: RunOptions = {}) =>
    runDossier(withDefaults(args, name), {
      cwd: folder.path,
      ...options,
      env: { ...env, ...options.env },
    });
  const path = (name: string) => join(folder.path, name);
  return {
    folder: folder.path,
    url,
    seen,
    /** Waits until this many requests have arrived. */
    async untilSeen(requests: number) {
      while (seen.length < requests) await delay(10);
    },
    asked: () => seen.map((request) => `${request.path} ${request.body}`.trim()),
    write(name: string, content: string | Buffer) {
      writeFileSync(path(name), content);
      return path(name);
    },
    read: (name: string) => readFileSync(path(name), 'utf8'),
    /** The records of a JSON lines file under output/. */
    records: (name: string) =>
      readFileSync(path(`output/${name}`), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    /** Runs `dossier run` without a rate; it prints its JSON summary. */
    run: (args: readonly string[], options?: RunOptions) => command('run', args, options),
    fix: (args: readonly string[], options?: RunOptions) => command('fix', args, options),
    /** Starts the command and does not wait for its end. */
    start: (args: readonly string[], command: 'run' | 'fix' = 'run') =>
      startDossier(withDefaults(args, command), { cwd: folder.path, env }).process,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** How a process ended: its code, or the signal that ended it. */
export function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
}

/** The files that a run wrote, without the times of answers and of changes. */
export function outputsIn(folder: string): Record<string, string> {
  const output = join(folder, 'output');
  if (!existsSync(output)) return {};
  return Object.fromEntries(
    readdirSync(output)
      .filter((name) => /^(companies|people|rejects)\./.test(name))
      .sort()
      .map((name) => [
        name,
        readFileSync(join(output, name), 'utf8').replaceAll(
          /"(?:fetched|changed)_at":"[^"]*"/g,
          '',
        ),
      ]),
  );
}

/** The JSON summary that a run prints at its end. */
export function summaryOf({ stdout, stderr }: Finished) {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as {
    resumed: boolean;
    rows: Record<'total' | 'matched' | 'not_found' | 'invalid' | 'failed', number>;
    people: number;
    calls: Record<'made' | 'shared' | 'reused' | 'joined' | 'failed', number>;
    requests: number;
    money: { currency: string; amount: number }[];
    possibleMoney: { currency: string; amount: number }[];
  };
}
