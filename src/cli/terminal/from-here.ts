import { basename, relative } from 'node:path';

/** A path as people would type it: relative where it lies below the working directory. */
export function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short || basename(path);
}
