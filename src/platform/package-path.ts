import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export function packagePath(...segments: string[]): string {
  return resolve(import.meta.dirname, '../..', ...segments);
}

export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

/** npm runs scripts in the package folder, but users type paths relative to their own. */
export function folderOfUser(env: NodeJS.ProcessEnv): string | undefined {
  const isOwnScript =
    env.npm_lifecycle_event === 'dossier' && env.npm_package_json === packagePath('package.json');
  return isOwnScript ? env.INIT_CWD : undefined;
}
