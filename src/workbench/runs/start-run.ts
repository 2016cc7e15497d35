import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { startedByVariable } from '../../runtime/terms/started-by.ts';
import type { EndedStart } from '../api/job-state.ts';

export interface StartedRun {
  readonly pid: number | undefined;
  readonly ended: Promise<EndedStart>;
}

/** The words that start `dossier`, to which its arguments are added. */
export type Program = readonly string[];

/**
 * Starts `dossier` as a process of its own, which goes on when the page and its server are gone. Its
 * output goes to a file and not to a pipe, which would break with the server.
 */
export function startDossier(
  [command = '', ...first]: Program,
  words: readonly string[],
): StartedRun {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-'));
  const said = join(folder, 'said.json');
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
        readEnd(said) ?? endWith(exitCode ?? 1, `the run was ended by ${signal ?? 'itself'}`),
      );
      rmSync(folder, { recursive: true, force: true });
    });
  });
  child.unref();
  return { pid: child.pid, ended };
}

const End = z.object({
  exitCode: z.number(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  remedy: z.string().nullable(),
});

function readEnd(path: string): EndedStart | undefined {
  try {
    return End.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function endWith(exitCode: number, message: string): EndedStart {
  return { exitCode, reason: null, message, remedy: null };
}
