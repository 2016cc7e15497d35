import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DossierError, isErrorCode, remedyOnPage } from '../../../core/errors.ts';
import { startedByVariable } from '../../../core/runtime/terms.ts';
import { RunEnd } from '../../../results/manifest.ts';
import type { EndedStart } from '../api/runs.ts';
import { makeTemporaryFolder } from '../temporary-files.ts';

/** `dossier` in a process of its own, for all that takes long or has to outlive the server. */
export interface DossierProgram {
  /**
   * Starts it with these words, such as `run leads.yaml`. It goes on when the page and its server are gone.
   */
  start(words: readonly string[]): {
    readonly pid: number | undefined;
    readonly ended: Promise<EndedStart>;
  };
  /**
   * Runs it and returns the JSON it prints, without using the memory and time of the server. The process ends
   * when the signal is aborted.
   */
  ask(words: readonly string[], signal: AbortSignal): Promise<unknown>;
}

/** The words that start `dossier`, to which its arguments are added. */
export type ProgramWords = readonly string[];

/** A path as a word of the command line: `-h.csv` would be taken for a flag. */
export function asArgument(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

export function dossierProgram([command = '', ...first]: ProgramWords): DossierProgram {
  return {
    start(words) {
      // Its output goes to a file and not to a pipe, which would break with the server.
      const folder = makeTemporaryFolder();
      const said = join(folder.path, 'said.json');
      const output = openSync(said, 'w', 0o600);
      const child = spawn(command, [...first, ...words, '--json'], {
        detached: true,
        env: { ...process.env, [startedByVariable]: 'page' },
        stdio: ['ignore', output, 'ignore'],
      });
      closeSync(output);
      const ended = new Promise<EndedStart>((resolve) => {
        child.on('error', (error) => resolve(endWith(1, error.message)));
        child.on('exit', (exitCode, signal) => {
          resolve(
            readEnd(said) ??
              unreachedIn(said, exitCode ?? 1) ??
              endWith(exitCode ?? 1, endText(exitCode, signal)),
          );
          folder[Symbol.dispose]();
        });
      });
      child.unref();
      return { pid: child.pid, ended };
    },
    ask: (words, signal) =>
      new Promise((resolve, reject) => {
        execFile(
          command,
          [...first, ...words, '--json'],
          { signal, maxBuffer: 16 * 1024 * 1024, killSignal: 'SIGKILL' },
          (error, stdout) => {
            if (!error) resolve(JSON.parse(stdout));
            else reject(failureIn(stdout) ?? error);
          },
        );
      }),
  };
}

const { exitCode, reason, message, remedy } = RunEnd.shape;
const End = z.object({ exitCode, reason, message, remedy });

function readEnd(path: string): EndedStart | undefined {
  try {
    const end = End.parse(JSON.parse(readFileSync(path, 'utf8')));
    // The process speaks to a terminal.
    return isErrorCode(end.reason) ? { ...end, remedy: remedyOnPage(end.reason) } : end;
  } catch {
    return undefined;
  }
}

const Written = z.object({
  destinations: z.array(z.object({ address: z.string(), failed: z.string().nullable() })),
});

/** An export says what became of the result at each destination. */
function unreachedIn(path: string, exitCode: number): EndedStart | undefined {
  try {
    const { destinations } = Written.parse(JSON.parse(readFileSync(path, 'utf8')));
    const failed = destinations.filter((place) => place.failed !== null);
    if (failed.length === 0) return undefined;
    const message = failed.map((place) => `${place.address}: ${place.failed}`).join('; ');
    const remedy = 'Fix what is named, then press “Write the result again”; it makes no call.';
    return { ...endWith(exitCode, message), remedy };
  } catch {
    return undefined;
  }
}

/** Not every command prints how it ended: an export that was written says what it holds. */
function endText(exitCode: number | null, signal: string | null): string | null {
  if (exitCode === 0) return null;
  return signal === null
    ? `the process ended with exit code ${exitCode}`
    : `the process was ended by ${signal}`;
}

function endWith(exitCode: number, message: string | null): EndedStart {
  return { exitCode, reason: null, message, remedy: null };
}

const Failure = z.object({ reason: z.string(), message: z.string() });

/** What a run says that ends before it begins. */
function failureIn(stdout: string): DossierError | undefined {
  try {
    const { reason, message } = Failure.parse(JSON.parse(stdout));
    return isErrorCode(reason) ? new DossierError(reason, message) : undefined;
  } catch {
    return undefined;
  }
}
