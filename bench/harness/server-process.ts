import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number | undefined;
  /** CPU time of all threads so far; NaN on systems without /proc. */
  cpuSeconds(): number;
  /** Sends SIGTERM and waits for the end of the process. */
  stop(): Promise<void>;
}

/** Starts a server that prints `DOSSIER_URL=…` when it is ready. Its log goes to a file. */
export async function startServer(
  args: readonly string[],
  options: { logPath: string; env?: Record<string, string> },
): Promise<ServerProcess> {
  const log = openSync(options.logPath, 'w');
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, ...options.env },
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const url = await Promise.race([readUrl(child.stdout), ended.then(() => undefined)]);
  if (url === undefined) {
    throw new Error(`${args.join(' ')} ended: ${readFileSync(options.logPath, 'utf8')}`);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return {
    url,
    pid: child.pid,
    cpuSeconds: () => cpuSeconds(child.pid),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function readUrl(stdout: Readable | null): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const url = /^DOSSIER_URL=(.+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}

const ticksPerSecond = 100;

function cpuSeconds(pid: number | undefined): number {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may hold spaces; user and system time are
    // the 14th and 15th.
    const fields = facts.slice(facts.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}

/** Present memory of a process in MiB; NaN after its end and on systems without /proc. */
export function residentMiB(pid: number | undefined): number {
  try {
    const facts = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(facts)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
