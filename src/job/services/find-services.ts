import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { configFolder } from '../../platform/files/user-folder.ts';
import type { Environment } from '../read-address.ts';

export const servicesFileName = 'services.yaml';

/**
 * Beside the job, then in the folders above it, then in the user's own folder. Stops at the root of
 * a repository, at home and at the edge of a file system: what lies beyond belongs to others.
 */
function placesOfServices(jobFolder: string, env: Environment): string[] {
  const places: string[] = [];
  const start = realFolder(jobFolder);
  const device = statSync(start).dev;
  for (let folder = start; ; folder = dirname(folder)) {
    if (statSync(folder).dev !== device) break;
    places.push(join(folder, servicesFileName));
    const isLast = existsSync(join(folder, '.git')) || folder === realFolder(homedir());
    if (isLast || folder === dirname(folder)) break;
  }
  return [...new Set([...places, join(configFolder(env), servicesFileName)])];
}

export function findServices(jobFolder: string, env: Environment): string | undefined {
  return placesOfServices(jobFolder, env).find((path) => existsSync(path));
}

export function noServices(folder: string, env: Environment, before = '') {
  const message = `${before}there is no ${placesOfServices(folder, env).join(', nor ')}`;
  const remedy = 'Describe the service in services.yaml beside the job; see docs/services.md.';
  return new DossierError('SERVICE_MISSING', message, { remedy });
}

/** The file decides where keys are sent and what is paid, so only its user may change it. */
export function requireOwn(path: string): void {
  // Windows has neither.
  if (process.getuid === undefined) return;
  const { uid, gid, mode } = statSync(path);
  const isOfUser = uid === process.getuid() || uid === 0;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getgid?.());
  if (isOfUser && !isOpen) return;
  const why = isOfUser ? 'can be changed by other users' : 'belongs to another user';
  throw new DossierError('JOB_INVALID', `${path} ${why}, so it is not used`, {
    remedy: isOfUser
      ? `It decides where keys are sent. Run \`chmod go-w ${path}\` after checking it.`
      : 'It decides where keys are sent. Copy it after checking it, or remove it.',
  });
}

/** A job may be in a folder that is only a link, or that does not exist yet. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder === dirname(folder) ? folder : realFolder(dirname(folder));
  }
}
