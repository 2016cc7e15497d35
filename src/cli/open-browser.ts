import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeTemporaryFolder } from '../ui/workbench/temporary-files.ts';

/** Opens an address or a file in the user's browser; false when the machine has none. */
export function openBrowser(target: string): boolean {
  const [command, ...args] = opener(target);
  if (command === undefined) return false;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // A browser that fails to start must not fail the run; the address is printed anyway.
  child.on('error', () => {});
  child.unref();
  return true;
}

function opener(target: string): string[] {
  switch (process.platform) {
    case 'darwin':
      return ['open', target];
    case 'win32':
      return ['cmd', '/c', 'start', '""', target];
    default: {
      const { DISPLAY, WAYLAND_DISPLAY, PATH = '' } = process.env;
      const hasDisplay = Boolean(DISPLAY || WAYLAND_DISPLAY);
      const isThere = PATH.split(delimiter).some((folder) => existsSync(join(folder, 'xdg-open')));
      return hasDisplay && isThere ? ['xdg-open', target] : [];
    }
  }
}

/**
 * Opens an address whose path is a secret. Other users of the machine see the words that a browser is
 * started with, so it is given a file that only this user can read, and that leads to the address.
 */
export function openPage(url: string) {
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'open.html');
  const html = `<!doctype html><meta charset="utf-8"><title>Dossier</title><meta http-equiv="refresh" content="0;url=${url}">`;
  writeFileSync(file, html, { mode: 0o600 });
  return {
    isOpened: openBrowser(file),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}
