import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that travel with the package; src/ and dist/ lie equally deep below its root. */
export function packagePath(...segments: string[]): string {
  return join(import.meta.dirname, '../..', ...segments);
}

export function packageVersion(): string {
  const facts = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
    version: string;
  };
  return facts.version;
}
