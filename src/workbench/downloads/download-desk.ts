import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Download, DownloadQuery } from '../api/downloads.ts';
import { makeTemporaryFolder } from '../files/temporary-folder.ts';
import type { FoundRows } from '../rows/read-records.ts';
import { findIndexed } from './find-indexed.ts';
import { type ReadRecords, writeDownload } from './write-download.ts';

/** What a file is made of. */
export interface DownloadSource {
  find(): Promise<FoundRows>;
  /** Reads rows of the run that was found. */
  reader(run: number): ReadRecords;
}

/** Files that were made to be fetched once. They lie in a folder of their own until then. */
export interface DownloadDesk extends Disposable {
  make(
    name: string,
    source: DownloadSource,
    query: DownloadQuery,
    signal: AbortSignal,
  ): Promise<Download>;
  /** Undefined where there is none of this id, or it was fetched. */
  take(id: string): TakenFile | undefined;
}

export interface TakenFile extends Disposable {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** A file that nobody fetches, because its tab was closed, gives its room back. */
const keptMs = 10 * 60_000;

export function openDownloadDesk(): DownloadDesk {
  const waiting = new Map<string, TakenFile>();
  const remove = (id: string) => {
    waiting.get(id)?.[Symbol.dispose]();
    waiting.delete(id);
  };
  return {
    async make(name, source, query, signal) {
      const folder = makeTemporaryFolder();
      const path = join(folder.path, 'download');
      try {
        const { run, numbers } = await findIndexed(source.find, signal);
        const read = source.reader(run);
        const readForPage: ReadRecords = async (rowNumbers) => {
          signal.throwIfAborted();
          return await read(rowNumbers);
        };
        const { rows, bytes } = await writeDownload(path, numbers, readForPage, query);
        const id = randomUUID();
        waiting.set(id, { path, name, bytes, [Symbol.dispose]: folder[Symbol.dispose] });
        setTimeout(() => remove(id), keptMs).unref();
        return { id, name, rows, bytes };
      } catch (error) {
        folder[Symbol.dispose]();
        throw error;
      }
    },
    take(id) {
      const file = waiting.get(id);
      waiting.delete(id);
      return file;
    },
    [Symbol.dispose]() {
      for (const id of [...waiting.keys()]) remove(id);
    },
  };
}
