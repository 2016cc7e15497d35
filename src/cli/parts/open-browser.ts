import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeTemporaryFolder } from '../../ui/workbench/temporary-files.ts';

export function launchBrowser(target: string): boolean {
  const [command, ...args] = opener(target);
  if (command === undefined) return false;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // Ignored, because the address is printed anyway.
  child.on('error', () => {});
  child.unref();
  return true;
}

function opener(target: string) {
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
 * Other users can see the arguments of the browser, so the secret address is in a private file.
 */
export function openPage(url: string) {
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'open.html');
  const html = `<meta http-equiv="refresh" content="0;url=${url}">`;
  writeFileSync(file, html, { mode: 0o600 });
  return { isOpened: launchBrowser(file), [Symbol.dispose]: folder[Symbol.dispose] };
}
