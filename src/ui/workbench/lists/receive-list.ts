import { constants, createWriteStream, existsSync, statSync } from 'node:fs';
import { copyFile, link, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DossierError } from '../../../core/errors.ts';
import { isList } from '../../../facts/folder.ts';
import { inspectSample } from '../../../facts/lists.ts';
import { outputError } from '../../../platform/files/atomic-file.ts';
import { hashFile } from '../../../platform/files/checksums.ts';
import { takeSample } from './look-at-list.ts';

/**
 * `put` moves the file to its place. A file that is not a list, or is not put anywhere, leaves
 * nothing behind.
 */
export async function receiveList<Put>(
  folder: string,
  dropped: string,
  bytes: Readable,
  put: (received: ReceivedList) => Promise<Put>,
): Promise<Put> {
  const name = safeName(dropped);
  // The file keeps its name, because the extension decides how the list is read.
  const waiting = await mkdtemp(join(folder, '.dossier-drop-')).catch((error) => {
    throw outputError(folder, error);
  });
  const path = join(waiting, name);
  try {
    await pipeline(bytes, createWriteStream(path, { flags: 'wx' })).catch((error) => {
      throw outputError(path, error);
    });
    const found = await takeSample(path)
      .then((sample) => inspectSample(sample))
      .catch((error) => {
        if (!(error instanceof DossierError)) throw error;
        // Users know the file by its own name, whose first word is not that of a sentence.
        const message = error.message.replaceAll(path, name.includes(' ') ? `“${name}”` : name);
        throw new DossierError(error.code, message, { cause: error });
      });
    const { format, header, rowsSeen, isSure } = found;
    // Such as a file with a key, which would become the name of a column.
    if (!isList(path) && header.length === 1 && rowsSeen <= 1 && !isSure) {
      const message = `${name} is not a list: it is one line, without columns or identifiers`;
      throw new DossierError('INPUT_INVALID', message);
    }
    const wanted = isList(path) ? name : `${splitName(name).stem || 'list'}.${format}`;
    return await put({ path, name: wanted, header });
  } finally {
    await rm(waiting, { recursive: true, force: true });
  }
}

interface ReceivedList {
  readonly path: string;
  /** A file name that a list in the folder may have. */
  readonly name: string;
  readonly header: readonly string[];
}

/** Uses the first of `leads.csv`, `leads-2.csv` … that is free or has the same bytes. */
export async function nameIn(folder: string, name: string, path: string): Promise<string> {
  const { stem, extension } = splitName(name);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${stem}-${number}${extension}`;
    const target = join(folder, candidate);
    if (existsSync(target)) {
      if (await isSame(path, target)) return candidate;
    } else if (await putAt(path, target)) return candidate;
  }
}

export async function putAt(path: string, target: string): Promise<boolean> {
  try {
    // Some file systems have no hard links.
    await link(path, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      return copyFile(path, target, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw outputError(target, error);
  }
}

export async function isSame(path: string, other: string) {
  const facts = statSync(other);
  if (!facts.isFile() || facts.size !== statSync(path).size) return false;
  return (await hashFile(path)) === (await hashFile(other));
}

/** Characters that some systems refuse, or that are not shown. */
const unsafe = /[\p{C}<>:"|?*]/gu;
const longestName = 120;

/**
 * `C:\leads\..\Leads März.csv → Leads März.csv`. Never returns a path or a hidden name. Dots become
 * dashes, so no list looks like a file of corrections, `leads.fixed.jsonl`.
 */
export function safeName(dropped: string): string {
  const [last = ''] = dropped.normalize('NFC').split(/[/\\]/).slice(-1);
  const name = last
    .replace(unsafe, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.~-]+|[\s.]+$/g, '');
  if (name === '') return 'list';
  const { stem, extension } = splitName(name);
  const short = stem.replaceAll('.', '-').slice(0, longestName - extension.length);
  return `${short.trimEnd()}${extension}`;
}

const listExtension = /\.[a-z]{1,8}(?:\.(?:gz|zst))?$/i;

/** `leads.csv.gz → leads` and `.csv.gz` */
export function splitName(name: string) {
  const [extension = ''] = listExtension.exec(name) ?? [];
  return { stem: name.slice(0, name.length - extension.length), extension };
}
