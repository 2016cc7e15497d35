import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DossierError, type ErrorCode, isErrorCode, remedyOnPage } from '../../../core/errors.ts';
import { startedByVariable } from '../../../core/runtime/terms.ts';
import { RunEnd } from '../../../results/manifest.ts';
import { makeTemporaryFolder } from '../temporary-files.ts';

/** `dossier` in a process of its own, for all that takes long or has to outlive the server. */
export type DossierProgram = ReturnType<typeof dossierProgram>;

/** A path as a word of the command line: `-h.csv` would be taken for a flag. */
export function asArgument(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/** Takes the words that start `dossier`, to which its arguments are added. */
export function dossierProgram([command = '', ...first]: readonly string[]) {
  return {
    /** Starts it with words such as `run leads.yaml`. It goes on when the page and its server are gone. */
    start(words: readonly string[]) {
      // Its output goes to a file and not to a pipe, which would break with the server.
      const folder = makeTemporaryFolder();
      const path = join(folder.path, 'printed.json');
      const output = openSync(path, 'w', 0o600);
      const child = spawn(command, [...first, ...words, '--json'], {
        detached: true,
        env: { ...process.env, [startedByVariable]: 'page' },
        stdio: ['ignore', output, 'ignore'],
      });
      closeSync(output);
      const ended = new Promise<EndedStart>((resolve) => {
        child.on('error', ({ message }) =>
          resolve({ exitCode: 1, reason: null, message, remedy: null }),
        );
        child.on('exit', (exitCode, signal) => {
          resolve(endOf(path, exitCode ?? 1, signal));
          folder[Symbol.dispose]();
        });
      });
      child.unref();
      return { pid: child.pid, ended };
    },
    /** Runs it and returns the JSON that it prints. The process ends when the signal is aborted. */
    ask: (words: readonly string[], signal: AbortSignal) =>
      new Promise<unknown>((resolve, reject) => {
        execFile(
          command,
          [...first, ...words, '--json'],
          { signal, maxBuffer: 16 * 1024 * 1024, killSignal: 'SIGKILL' },
          (error, stdout) => {
            if (!error) return resolve(JSON.parse(stdout));
            const failure = printed(Failure, () => stdout);
            reject(failure ? new DossierError(failure.reason, failure.message) : error);
          },
        );
      }),
  };
}

/** How a start ended, as its `run --json` or the ledger says. */
export type EndedStart = z.output<typeof End>;
const { exitCode, reason, message, remedy } = RunEnd.shape;
const End = z.object({ exitCode, reason, message, remedy });

/** What an export prints of each destination. */
const Written = z.object({
  destinations: z.array(z.object({ address: z.string(), failed: z.string().nullable() })),
});

/** What a command prints that ends before it begins. */
const Failure = z.object({
  reason: z.custom<ErrorCode>((code) => isErrorCode(code as string)),
  message: z.string(),
});

/** What a command has printed, if it has this shape. */
function printed<Shape>(shape: z.ZodType<Shape>, read: () => string): Shape | undefined {
  try {
    return shape.safeParse(JSON.parse(read())).data;
  } catch {
    return undefined;
  }
}

function endOf(path: string, exitCode: number, signal: string | null): EndedStart {
  const read = () => readFileSync(path, 'utf8');
  const end = printed(End, read);
  // The process speaks to a terminal.
  if (end) return isErrorCode(end.reason) ? { ...end, remedy: remedyOnPage(end.reason) } : end;
  const failed = printed(Written, read)?.destinations.filter((one) => one.failed !== null) ?? [];
  if (failed.length > 0) {
    const message = failed.map((one) => `${one.address}: ${one.failed}`).join('; ');
    const remedy = 'Fix what is named, then press “Write the result again”; it makes no call.';
    return { exitCode, reason: null, message, remedy };
  }
  const how = signal === null ? `ended with exit code ${exitCode}` : `was ended by ${signal}`;
  const message = exitCode === 0 ? null : `the process ${how}`;
  return { exitCode, reason: null, message, remedy: null };
}
