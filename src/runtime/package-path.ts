import { join } from 'node:path';

/** Files that travel with the package; src/ and dist/ lie equally deep below its root. */
export function packagePath(...segments: string[]): string {
  return join(import.meta.dirname, '../..', ...segments);
}
