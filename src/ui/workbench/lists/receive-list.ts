import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { copyFile, link, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DossierError } from '../../../core/errors.ts';
import { outputTrouble } from '../../../core/runtime/files/atomic-file.ts';
import { isList } from '../../overview/folder.ts';
import { inspectSampled, takeSample } from './look-at-list.ts';

/**
 * Stores a list that was dropped and gives its name in the folder. It is written under a temporary name
 * while it comes in, whatever its size, and read before it gets its own: a file that is no list is refused
 * in the engine's words and leaves nothing behind.
 */
export async function receiveList(folder: string, given: string, bytes: Readable): Promise<string> {
  const name = safeName(given);
  // A folder of its own keeps the extension, by which a list is read.
  const waiting = await mkdtemp(join(folder, '.dossier-drop-')).catch((error) => {
    throw outputTrouble(folder, error);
  });
  const path = join(waiting, name);
  try {
    await pipeline(bytes, createWriteStream(path, { flags: 'wx' })).catch((error) => {
      throw outputTrouble(path, error);
    });
    const { format } = await takeSample(path)
      .then(inspectSampled)
      .catch((error) => {
        if (!(error instanceof DossierError)) throw error;
        // The user knows the file by its own name.
        throw new DossierError(error.code, error.message.replaceAll(path, name), { cause: error });
      });
    const wanted = isList(path) ? name : `${splitName(name).stem || 'list'}.${format}`;
    return await nameIn(folder, wanted, path);
  } finally {
    await rm(waiting, { recursive: true, force: true });
  }
}

/** Gives a file its name, or the first of `leads-2.csv`, `leads-3.csv` … that is free or has the same bytes. */
async function nameIn(folder: string, name: string, path: string): Promise<string> {
  const { stem, extension } = splitName(name);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${stem}-${number}${extension}`;
    const target = join(folder, candidate);
    if (existsSync(target)) {
      if (await isSame(path, target)) return candidate;
    } else if (await putAt(path, target)) return candidate;
  }
}

/** False where another file has taken the name in the meantime. */
export async function putAt(path: string, target: string): Promise<boolean> {
  try {
    // Some file systems have no links.
    await link(path, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      return copyFile(path, target, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw outputTrouble(target, error);
  }
}

async function isSame(path: string, other: string): Promise<boolean> {
  const facts = statSync(other);
  if (!facts.isFile() || facts.size !== statSync(path).size) return false;
  return (await hashOf(path)) === (await hashOf(other));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** What a name may not have on one system or another, and what would change how it is shown. */
const unsafe = /[\p{C}<>:"|?*]/gu;
const longestName = 120;

/**
 * The name of a dropped file: `C:\leads\..\Leads März.csv → Leads März.csv`. It is never a path, hidden or empty.
 * Dots inside become dashes, so no list is taken for a file of Dossier's own, such as `leads.fixed.jsonl`.
 */
export function safeName(given: string): string {
  const [last = ''] = given.normalize('NFC').split(/[/\\]/).slice(-1);
  const name = last
    .replace(unsafe, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.~-]+|[\s.]+$/g, '');
  if (name === '') return 'list';
  const { stem, extension } = splitName(name);
  const short = stem.replaceAll('.', '-').slice(0, longestName - extension.length);
  const safe = `${short.trimEnd()}${extension}`;
  return isDeviceName(safe) ? `list-${safe}` : safe;
}

/** Windows takes these for devices, in every folder and with every extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a file of this name could not be opened elsewhere; a path before it does not matter. */
export function isDeviceName(path: string): boolean {
  return device.test(path.split('/').at(-1) ?? '');
}

const listExtension = /\.[a-z]{1,8}(?:\.(?:gz|zst))?$/i;

/** `leads.csv.gz → leads` and `.csv.gz` */
function splitName(name: string): { stem: string; extension: string } {
  const [extension = ''] = listExtension.exec(name) ?? [];
  return { stem: name.slice(0, name.length - extension.length), extension };
}
