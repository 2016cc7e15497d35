import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Download, DownloadQuery } from '../api/downloads.ts';
import { makeTemporaryFolder } from '../files/temporary-folder.ts';
import type { FoundRows } from '../rows/read-records.ts';
import { findIndexed } from './find-indexed.ts';
import type { CompanyPeople } from './read-people.ts';
import { type FoundRecords, writeDownload } from './write-download.ts';

/** What a file is made of. */
export interface DownloadSource {
  find(): Promise<FoundRows>;
  /** Reads rows of the run that was found. */
  reader(run: number): FoundRecords['read'];
  people(run: number, signal: AbortSignal): AsyncIterable<CompanyPeople>;
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
        const { run, hasPeople, numbers } = await findIndexed(source.find, signal);
        const read = source.reader(run);
        const found: FoundRecords = {
          numbers,
          read: async (...asked) => {
            signal.throwIfAborted();
            return await read(...asked);
          },
          people: hasPeople ? () => source.people(run, signal) : undefined,
        };
        const { bytes, ...written } = await writeDownload(path, found, query);
        const id = randomUUID();
        waiting.set(id, { path, name, bytes, [Symbol.dispose]: folder[Symbol.dispose] });
        setTimeout(() => remove(id), keptMs).unref();
        return { id, name, bytes, ...written };
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
