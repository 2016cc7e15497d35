import { extname } from 'node:path';

/**
 * The address of a module beside another, for threads: imports are rewritten by the build, but this
 * is no import. `serve-thread → serve-thread.ts` among the sources, `.js` in the package.
 */
export function siblingModule(importMetaUrl: string, name: string): URL {
  return new URL(`./${name}${extname(importMetaUrl)}`, importMetaUrl);
}
