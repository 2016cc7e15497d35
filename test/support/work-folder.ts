import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunOptions, runDossier } from './run-dossier.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A folder with files, and a command line in it: `dossier('run leads.csv')`. */
export function openFolder(
  files: Readonly<Record<string, string | Buffer>> = {},
  env: Record<string, string> = {},
) {
  const folder = temporaryFolder();
  const write = (name: string, content: string | Buffer) => {
    const path = join(folder.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    path: folder.path,
    write,
    read: (name: string) => readFileSync(join(folder.path, name), 'utf8'),
    dossier: (line: string | readonly string[], options: RunOptions = {}) =>
      runDossier(typeof line === 'string' ? line.split(' ') : line, {
        cwd: folder.path,
        ...options,
        env: { ...env, ...options.env },
      }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
