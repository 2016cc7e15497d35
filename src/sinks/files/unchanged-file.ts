import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
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

/** Undefined where the file cannot be read. */
async function sha256Of(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1_024 * 1_024 }))
      hash.update(chunk as Buffer);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}
