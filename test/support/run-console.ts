import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/platform/package-path.ts';
import { ensurePages } from './built-page.ts';
import { cleanEnvironment } from './clean-environment.ts';
import type { ShownCommand } from './console-blocks.ts';

export interface RanCommand {
  readonly printed: string;
  readonly exitCode: number;
}

const mark = '\u001e';
/** Limit for all commands together. */
export const timeoutMs = 120_000;

/** Runs the commands one after the other in one shell, as a reader who has installed Dossier would. */
export async function runConsole(
  commands: readonly ShownCommand[],
  folder: string,
): Promise<RanCommand[]> {
  await ensurePages();
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'dossier'),
    `#!/bin/sh\nexec '${process.execPath}' '${packagePath('src/main.ts')}' "$@"\n`,
  );
  chmodSync(join(bin, 'dossier'), 0o755);
  const script = commands.map(({ command }) => `${command}\nprintf '${mark}%d${mark}' $?\n`);
  const child = spawn('bash', ['-c', `exec 2>&1 </dev/null\n${script.join('')}`], {
    cwd: folder,
    env: cleanEnvironment({ PATH: `${bin}:${process.env.PATH}`, HOME: folder }),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // Ends the shell and all processes that it has started.
  const endAll = () => {
    if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(endAll, timeoutMs);
  let all = '';
  for await (const chunk of child.stdout) all += String(chunk);
  clearTimeout(timer);
  const parts = all.replaceAll(folder, '.').split(mark);
  return commands.map((_, index) => ({
    printed: parts[index * 2] ?? '',
    exitCode: Number(parts[index * 2 + 1] ?? Number.NaN),
  }));
}
