import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectAddress, ObjectStore, PreparedObject } from '../../objects/object-store.ts';
import type { ManifestFile } from '../manifest.ts';
import { type PlaceKeys, runsTable } from './place-keys.ts';

/** A file that is in the store, and not to be seen yet. */
export interface BroughtFile {
  readonly at: ObjectAddress;
  readonly object: PreparedObject;
  /** Undefined for the report, which no manifest names. */
  readonly sha256: string | undefined;
}

export interface BroughtFiles {
  readonly files: readonly BroughtFile[];
  /** Names of files that are in their places already. */
  readonly unchanged: readonly string[];
}

const reportName = 'report.html';

/** Brings the files of a folder, and its report if it has one, to where they belong, without showing them. */
export async function bringFiles(
  store: ObjectStore,
  { folder, keys }: { readonly folder: string; readonly keys: PlaceKeys },
  files: readonly ManifestFile[],
  signal: AbortSignal | undefined,
): Promise<BroughtFiles> {
  const brought: BroughtFile[] = [];
  const unchanged: string[] = [];
  const bring = async (at: ObjectAddress, name: string, sha256: string | undefined) => {
    const path = join(folder, name);
    const { size } = await stat(path);
    const source = { open: () => createReadStream(path), size };
    const metadata = sha256 === undefined ? {} : { sha256 };
    const object = await store.prepare(at, source, { type: typeOf(name), metadata, signal });
    brought.push({ at, object, sha256 });
  };
  try {
    for (const { name, table, sha256, bytes } of files) {
      const at = keys.file(table, name);
      if (await isThere(store, at, { sha256, bytes })) unchanged.push(name);
      else await bring(at, name, sha256);
    }
    if (await stat(join(folder, reportName)).catch(() => undefined)) {
      await bring(keys.file(runsTable, reportName), reportName, undefined);
    }
    return { files: brought, unchanged };
  } catch (error) {
    for (const { object } of brought) await object.abort();
    throw error;
  }
}

/** Whether an object is this file: its checksum is noted with it, and whoever replaces it replaces that, too. */
export async function isThere(
  store: ObjectStore,
  at: ObjectAddress,
  { sha256, bytes }: Pick<ManifestFile, 'sha256' | 'bytes'>,
): Promise<boolean> {
  const facts = await store.head(at);
  return facts?.size === bytes && facts.metadata.sha256 === sha256;
}

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  gz: 'application/gzip',
  zst: 'application/zstd',
  html: 'text/html; charset=utf-8',
};

function typeOf(name: string): string | undefined {
  return types[name.slice(name.lastIndexOf('.') + 1)];
}
