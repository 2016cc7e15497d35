import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that travel with the package; src/ and dist/ lie equally deep below its root. */
export function packagePath(...segments: string[]): string {
  return join(import.meta.dirname, '../../..', ...segments);
}

export function packageVersion(): string {
  const facts = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    version: string;
  };
  return facts.version;
}

/**
 * The folder in which the user has typed `npm run dossier`. npm runs a script in the folder of its package,
 * but the paths behind it are relative to where the user is. Undefined for any other start: the scripts of
 * another package mean their own folder.
 */
export function folderOfUser(env: NodeJS.ProcessEnv): string | undefined {
  const isOwnScript =
    env.npm_lifecycle_event === 'dossier' && env.npm_package_json === packagePath('package.json');
  return isOwnScript ? env.INIT_CWD : undefined;
}
