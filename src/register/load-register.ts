import { existsSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { holdMemory } from '../platform/memory.ts';
import { openParts } from './open-parts.ts';
import type { OwnColumns } from './read-tables.ts';
import { openRegisterFile } from './register-file.ts';
import { replaceRegister } from './replace-register.ts';
import type { SourcePart } from './sources.ts';
import { type LoadedPart, openRegisterWriter } from './write-register.ts';

interface LoadOptions {
  readonly own?: OwnColumns | undefined;
  readonly withIndividuals?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (records: number, share: number) => void;
}

export async function loadRegister(path: string, files: readonly string[], options: LoadOptions) {
  holdMemory();
  return await replaceRegister(path, {}, (db) => writeSources(db, path, files, options));
}

async function writeSources(
  db: Database.Database,
  path: string,
  files: readonly string[],
  { own, withIndividuals = false, signal, onProgress }: LoadOptions,
) {
  if (existsSync(path)) openRegisterFile(path).close();
  const writer = openRegisterWriter(db, existsSync(path) ? path : undefined);
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const total = sizes.reduce((sum, size) => sum + size, 1);
  const loaded: LoadedPart[] = [];
  const business: number[] = [];
  let done = 0;

  const load = async (part: SourcePart, at: number) => {
    const before = sizes.slice(0, at).reduce((sum, size) => sum + size, 0);
    const add = writer.openSource(part, withIndividuals);
    for await (const batch of part.batches) {
      signal?.throwIfAborted();
      const records = add.entities(batch);
      onProgress?.(done + records, (before + part.share() * (sizes[at] ?? 0)) / total);
    }
    const ended = add.end();
    done += ended.records;
    loaded.push(ended);
  };
  for (const [at, file] of files.entries()) {
    for await (const part of openParts(file, own, signal)) {
      if (part.kind === 'business') business.push(at);
      else await load(part, at);
    }
  }
  writer.copyOthers(business.length > 0);
  // Read last: only business names of loaded entities are kept, because others may be persons.
  for (const at of business) {
    for await (const part of openParts(files[at] ?? '', own, signal)) await load(part, at);
  }
  writer.finish();
  return loaded;
}
