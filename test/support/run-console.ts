import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage, builtPage, pageNames } from '../../scripts/build-page.ts';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import type { ShownCommand } from './console-blocks.ts';

export interface RanCommand {
  readonly printed: string;
  readonly exitCode: number;
}

/** The files of a clone that the documents' commands need. */
const cloned = ['src', 'fixtures', 'jobs', 'docs', 'package.json', 'README.md', 'CHANGELOG.md'];
/** Installing needs the network, and was done before any test, so these commands are skipped. */
const installs = /^npm (?:ci|install)(?: && )?/;
const mark = '\u001e';
/** Limit for all commands together. */
export const timeoutMs = 120_000;

/** Copies a clone with its packages into a folder, as a reader has it after the first command. */
export async function cloneInto(folder: string): Promise<void> {
  // `npm ci` builds the pages.
  for (const name of pageNames()) {
    if (!existsSync(builtPage(name))) await buildPage(name);
    cpSync(builtPage(name), join(folder, 'dist/page', `${name}.html`));
  }
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

/** Runs the commands one after the other in one shell, as a reader would. */
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
      // The documents do not show the lines in which npm names its script.
      npm_config_loglevel: 'silent',
      npm_config_update_notifier: 'false',
    },
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
