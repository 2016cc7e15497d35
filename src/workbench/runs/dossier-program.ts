import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DossierError, errorCatalog, isErrorCode, remedyOnPage } from '../../errors.ts';
import { startedByVariable } from '../../runtime/terms.ts';
import type { EndedStart } from '../api/job-state.ts';
import { makeTemporaryFolder } from '../files/temporary-folder.ts';

/** `dossier` in a process of its own, for all that takes long or has to outlive the server. */
export interface DossierProgram {
  /**
   * Starts it with these words, such as `run leads.yaml`. It goes on when the page and its server are
   * gone.
   */
  start(words: readonly string[]): StartedProcess;
  /**
   * Asks it and gives what it prints as JSON, so that neither the memory of the server nor its other
   * answers suffer. The process ends when nobody wants to know any more.
   */
  ask(words: readonly string[], signal: AbortSignal): Promise<unknown>;
}

export interface StartedProcess {
  readonly pid: number | undefined;
  readonly ended: Promise<EndedStart>;
}

/** The words that start `dossier`, to which its arguments are added. */
export type ProgramWords = readonly string[];

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
            readEnd(said) ?? unreachedIn(said) ?? endWith(exitCode ?? 1, endText(exitCode, signal)),
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

const End = z.object({
  exitCode: z.number(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  remedy: z.string().nullable(),
});

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
function unreachedIn(path: string): EndedStart | undefined {
  try {
    const { destinations } = Written.parse(JSON.parse(readFileSync(path, 'utf8')));
    const failed = destinations.filter((place) => place.failed !== null);
    if (failed.length === 0) return undefined;
    const reason = 'OUTPUT_UNREACHED';
    return {
      ...{ exitCode: errorCatalog[reason].exitCode, reason, remedy: remedyOnPage(reason) },
      message: failed.map((place) => `${place.address}: ${place.failed}`).join('; '),
    };
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
