import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestFile } from '../manifest.ts';
import type { Output } from '../sink.ts';

/** Whether the file in the folder is the one that the manifest names, byte for byte. */
export async function isIntact(
  folder: string,
  { name, sha256 }: Pick<ManifestFile, 'name' | 'sha256'>,
): Promise<boolean> {
  return (await sha256Of(join(folder, name))) === sha256;
}

/** A file that stays as it is. */
export function keptFile(file: ManifestFile): Output {
  return { prepare: async () => [file], commit: async () => {}, abort: async () => {} };
}

const chunkBytes = 256 * 1_024;

/** Undefined where the file cannot be read. One chunk takes all its bytes in turn: a stream would fill many. */
async function sha256Of(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkBytes);
  try {
    await using file = await open(path, 'r');
    for (;;) {
      const { bytesRead } = await file.read(chunk);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(chunk.subarray(0, bytesRead));
    }
  } catch {
    return undefined;
  }
}
