import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the user's programs keep their settings: `~/.config/dossier` on Linux. */
export function configFolder(env: Environment): string {
  const home = homedir();
  if (process.platform === 'win32') {
    return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'dossier');
  }
  const isMac = process.platform === 'darwin';
  const own = isMac ? join(home, 'Library', 'Application Support') : join(home, '.config');
  return join(env.XDG_CONFIG_HOME || own, 'dossier');
}

/** Where the user's programs keep their data: `~/.local/share/dossier` on Linux. */
export function dataFolder(env: Environment): string {
  const { platform } = process;
  const folder =
    env.XDG_DATA_HOME ||
    (platform === 'win32' && env.LOCALAPPDATA) ||
    join(homedir(), platform === 'darwin' ? 'Library/Application Support' : '.local/share');
  return resolve(folder, 'dossier');
}
