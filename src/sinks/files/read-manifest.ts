import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '../manifest.ts';

/** The manifest of a folder; undefined where there is none, or none that can be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
