import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { Download, DownloadQuery } from '../api/downloads.ts';
import { RowsMoved, steadyRows } from './steady-rows.ts';
import { type ReadRecords, writeDownload } from './write-download.ts';

/** Files that were made to be fetched once. They lie in a folder of their own until then. */
export interface DownloadDesk extends Disposable {
  make(
    name: string,
    read: ReadRecords,
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
    async make(name, read, query, signal) {
      const folder = mkdtempSync(join(tmpdir(), 'dossier-'));
      const path = join(folder, 'download');
      const dispose = () => rmSync(folder, { recursive: true, force: true });
      try {
        const { rows, bytes } = await writeSteady(path, read, query, signal);
        const id = randomUUID();
        waiting.set(id, { path, name, bytes, [Symbol.dispose]: dispose });
        setTimeout(() => remove(id), keptMs).unref();
        return { id, name, rows, bytes };
      } catch (error) {
        dispose();
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

/** A run that goes on may move rows under the hands of whoever writes them. */
const mostTries = 5;

async function writeSteady(
  path: string,
  read: ReadRecords,
  query: DownloadQuery,
  signal: AbortSignal,
) {
  const isPlain = !query.search && !query.sort && Object.keys(query.facets ?? {}).length === 0;
  if (isPlain) return await writeDownload(path, read, query);
  for (let tries = 1; ; tries += 1) {
    try {
      return await writeDownload(path, steadyRows(read, signal), query);
    } catch (error) {
      if (!(error instanceof RowsMoved)) throw error;
      if (tries < mostTries) continue;
      throw new DossierError('JOB_BUSY', 'the rows change faster than they can be written', {
        cause: error,
      });
    }
  }
}
