import { createReadStream } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { DossierError, type ErrorCode } from '../../core/errors.ts';
import { findInLedger } from '../../engine/ledger/care/find-forgotten.ts';
import { openExisting } from '../../engine/ledger/file/ledger-file.ts';
import { openSheets } from '../../lists/open-input.ts';
import { filesBelow } from '../../platform/files/disk.ts';
import { isListAddress } from '../../platform/files/local-path.ts';

export async function findHolding(
  places: readonly string[],
  skipped: readonly string[],
  keys: readonly string[],
  mayHold: (text: string) => boolean,
): Promise<string[]> {
  const seen = new Set(skipped);
  const paths: string[] = [];
  for (const place of places) {
    if (isListAddress(place)) paths.push(place);
    for await (const path of filesBelow(resolve(place))) {
      if (seen.has(path)) continue;
      seen.add(path);
      const name = path.slice(dirname(resolve(place)).length);
      if (mayHold(name) || ((await copyHolds(path, keys)) ?? (await holds(path, mayHold)))) {
        paths.push(path);
      }
    }
  }
  return paths.sort();
}

export async function anyHolds(
  folder: string,
  files: readonly { readonly name: string }[],
  isFound: (text: string) => boolean,
): Promise<boolean> {
  for (const { name } of files) if (await holds(`${folder}/${name}`, isFound)) return true;
  return false;
}

const otherVersions: readonly ErrorCode[] = [
  'LEDGER_OUTDATED',
  'LEDGER_PRERELEASE',
  'NEWER_VERSION',
];

async function copyHolds(path: string, keys: readonly string[]) {
  if (!/\.db\b/.test(basename(path))) return undefined;
  try {
    using copy = openExisting(path);
    const { counts, holding, similar } = findInLedger(copy.db, keys);
    return counts.answers + counts.people + counts.rows + holding + similar.length > 0;
  } catch (error) {
    // Ledgers of other versions are compressed too, so a search of their bytes would find nothing.
    if (error instanceof DossierError && otherVersions.includes(error.code)) return true;
    // Not a readable ledger, so the caller searches its bytes.
    return undefined;
  }
}

const tableName = /\.(?:(?:csv|tsv|jsonl|ndjson)\.(?:gz|zst)|xlsx|parquet)$/i;

const archiveName = /\.(?:zip|7z|gz|zst|bz2|xz|tgz)$/i;

async function holds(place: string, isFound: (text: string) => boolean) {
  if (!tableName.test(place) && !isListAddress(place)) {
    return archiveName.test(place) || (await bytesHold(place, isFound));
  }
  try {
    for await (const { columns, rows } of openSheets(place)) {
      if (columns.some(isFound)) return true;
      for await (const { cells } of rows) {
        if (cells.some((cell) => cell !== undefined && isFound(cell))) return true;
      }
    }
    return false;
  } catch (error) {
    if (isListAddress(place)) throw error;
    // A file that cannot be read may contain the value.
    return true;
  }
}

/** An identifier may span two chunks. */
const overlap = 2_048;

async function bytesHold(path: string, isFound: (text: string) => boolean) {
  let before = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    // Without its zero bytes, UTF-16 reads as plain text.
    const text = (before + chunk).replaceAll('\0', '');
    if (isFound(text)) return true;
    before = text.slice(-overlap);
  }
  return false;
}
