import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

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

/** Whether the machine has a display and a browser on it. */
export function hasBrowser(): boolean {
  return opener('').length > 0;
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
