import { execFile } from 'node:child_process';
import { z } from 'zod';
import { DossierError, type ErrorCode, errorCatalog } from '../../errors.ts';

/**
 * Asks `dossier` in a process of its own and gives what it prints as JSON, so that what takes long neither
 * fills the memory of the server nor holds up its other answers. The process ends when nobody wants to know
 * any more.
 */
export function askDossier(words: readonly string[], signal: AbortSignal): Promise<unknown> {
  const program = [...process.execArgv, process.argv[1] ?? ''];
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [...program, ...words, '--json'],
      { signal, maxBuffer: 16 * 1024 * 1024, killSignal: 'SIGKILL' },
      (error, stdout) => {
        if (!error) resolve(JSON.parse(stdout));
        else reject(failureIn(stdout) ?? error);
      },
    );
  });
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

function isErrorCode(reason: string): reason is ErrorCode {
  return Object.hasOwn(errorCatalog, reason);
}
