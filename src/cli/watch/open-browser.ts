import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Opens an address or a file in the browser of the user; says whether there is one to open it in. */
export function openBrowser(target: string): boolean {
  const [command, ...args] = opener(target);
  if (command === undefined) return false;
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  // A browser that does not start is no trouble of the run: the address was told.
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
