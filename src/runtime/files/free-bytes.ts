import { statfsSync } from 'node:fs';

/** Bytes that may still be written on the disk of a path; undefined where the file system does not know. */
export function freeBytesAt(path: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
  }
}
