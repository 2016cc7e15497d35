import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../../scripts/build-page.ts';
import { packagePath } from '../../src/runtime/package-path.ts';
import type { ShownCommand } from './console-blocks.ts';

export interface RanCommand {
  readonly printed: string;
  readonly exitCode: number;
}

/** What a clone has, without what it has been used for. */
const cloned = ['src', 'fixtures', 'jobs', 'docs', 'package.json', 'README.md', 'CHANGELOG.md'];
/** They need the network, and have been run before any test can be. */
const installs = /^npm (?:ci|install)(?: && )?/;
const mark = '\u001e';
/** For all commands together. */
export const timeoutMs = 120_000;

/** Built by `npm ci`, too. */
const page = 'dist/page/report.html';

/** Makes a folder what a reader has after the first command: a clone with its packages. */
export async function cloneInto(folder: string): Promise<void> {
  if (!existsSync(packagePath(page))) await buildPage();
  cpSync(packagePath(page), join(folder, page));
  for (const path of cloned) cpSync(packagePath(path), join(folder, path), { recursive: true });
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'dossier'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'src/main.ts')}' "$@"\n`,
  );
  chmodSync(join(bin, 'dossier'), 0o755);
}

/** Types the commands one after the other into one shell, as a reader would. */
export async function runConsole(
  commands: readonly ShownCommand[],
  folder: string,
): Promise<RanCommand[]> {
  const script = commands.map(({ command }) => {
    const line = command.replace(installs, '') || 'true';
    return `${line}\nprintf '${mark}%d${mark}' $?\n`;
  });
  const child = spawn('bash', ['-c', `exec 2>&1 </dev/null\n${script.join('')}`], {
    cwd: folder,
    env: {
      PATH: `${join(folder, '.bin')}:${packagePath('node_modules/.bin')}:${process.env.PATH}`,
      HOME: folder,
      NO_COLOR: '1',
      // npm says which script it runs; the documents do not.
      npm_config_loglevel: 'silent',
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  // What it has started goes with it, whether it came to an end or hangs.
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
