import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Manifest } from '../manifest.ts';

/** Whether the result in a folder is complete, by whichever version of Dossier it was written. */
export async function holdsComplete(folder: string): Promise<boolean> {
  try {
    const text = await readFile(join(folder, 'manifest.json'), 'utf8');
    return (JSON.parse(text) as { complete?: unknown } | null)?.complete === true;
  } catch {
    return false;
  }
}

/** The manifest of a folder; undefined where there is none, or none that can be read. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
