import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DossierError, type ErrorCode, isErrorCode, remedyOnPage } from '../../../core/errors.ts';
import { startedByVariable } from '../../../core/values/variables.ts';
import { RunEnd } from '../../../run/run-schemas.ts';
import { makeTemporaryFolder } from '../temporary-files.ts';

/** A separate process for slow work, and for runs that outlive the server. */
export type DossierProgram = ReturnType<typeof dossierProgram>;

export type Command = 'plan' | 'run' | 'fix' | 'export' | 'services';

export function dossierProgram([program = '', ...first]: readonly string[]) {
  const argumentsOf = (command: Command, words: readonly string[], flags: readonly string[]) => {
    // `-h.csv` would be read as a flag.
    const safe = words.map((word) => (word.startsWith('-') ? `./${word}` : word));
    return [...first, command, ...safe, ...flags, '--json'];
  };
  return {
    start(command: Command, path: string, flags: readonly string[]) {
      // The process prints to a file: a pipe would break when the server ends.
      const folder = makeTemporaryFolder();
      const printedPath = join(folder.path, 'printed.json');
      const output = openSync(printedPath, 'w', 0o600);
      const child = spawn(program, argumentsOf(command, [path], flags), {
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
          resolve(endOf(printedPath, exitCode ?? 1, signal));
          folder[Symbol.dispose]();
        });
      });
      child.unref();
      return { pid: child.pid, ended };
    },
    ask: (
      command: Command,
      words: readonly string[],
      flags: readonly string[],
      signal: AbortSignal,
    ) =>
      new Promise<unknown>((resolve, reject) => {
        execFile(
          program,
          argumentsOf(command, words, flags),
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

export type EndedStart = z.output<typeof End>;
const { exitCode, reason, message, remedy } = RunEnd.shape;
const End = z.object({ exitCode, reason, message, remedy });

/** Printed by `dossier export`. */
const Written = z.object({
  destinations: z.array(z.object({ address: z.string(), failed: z.string().nullable() })),
});

/** Printed by a `plan` or `fix --dry-run` that fails. */
const Failure = z.object({
  reason: z.custom<ErrorCode>((code) => isErrorCode(code as string)),
  message: z.string(),
});

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
  if (end && isErrorCode(end.reason)) return { ...end, remedy: remedyOnPage(end.reason) };
  if (end) return end;
  const failed = printed(Written, read)?.destinations.filter((one) => one.failed !== null) ?? [];
  if (failed.length > 0) {
    const message = failed.map((one) => `${one.address}: ${one.failed}`).join('; ');
    const remedy = 'Fix the cause, then press “Write the result again”. Writing makes no calls.';
    return { exitCode, reason: null, message, remedy };
  }
  const how = signal === null ? `ended with exit code ${exitCode}` : `was stopped by ${signal}`;
  const message = exitCode === 0 ? null : `the process ${how}`;
  return { exitCode, reason: null, message, remedy: null };
}
