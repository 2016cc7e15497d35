import { setTimeout as sleep } from 'node:timers/promises';
import { DossierError } from '../../errors.ts';
import type { RecordsPage } from '../rows/read-records.ts';
import type { ReadRecords } from './write-download.ts';

/** The rows have become others while they were read: a run goes on, or has ended. */
export class RowsMoved extends Error {}

const lookEveryMs = 200;

/**
 * Reads rows that are searched, narrowed or sorted: not before every row is in the index, which would
 * leave out those that are not, and only while they stay the same rows.
 */
export function steadyRows(read: ReadRecords, signal?: AbortSignal): ReadRecords {
  let first: RecordsPage | undefined;
  return async (offset) => {
    let page = await read(offset);
    if (offset > 0) {
      if (page.run !== first?.run || page.total !== first.total) throw new RowsMoved();
      return page;
    }
    while (!page.index.isWhole) {
      if (page.index.trouble !== null) {
        const message = `rows cannot be searched, narrowed or sorted: ${page.index.trouble}`;
        throw new DossierError('OUTPUT_TROUBLE', message);
      }
      await sleep(lookEveryMs, undefined, { signal });
      page = await read(offset);
    }
    first = page;
    return page;
  };
}
