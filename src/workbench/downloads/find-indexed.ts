import { setTimeout as sleep } from 'node:timers/promises';
import { DossierError } from '../../errors.ts';
import type { FoundRows } from '../rows/read-records.ts';

const lookEveryMs = 200;

/**
 * Finds the rows of a download. Those that are searched, narrowed or sorted are found when every row is in
 * the index: before, those that are not in it would be left out.
 */
export async function findIndexed(
  find: () => Promise<FoundRows>,
  signal: AbortSignal,
): Promise<FoundRows> {
  for (;;) {
    const found = await find();
    if (found.index === null || found.index.isWhole) return found;
    if (found.index.trouble !== null) {
      const message = `rows cannot be searched, narrowed or sorted: ${found.index.trouble}`;
      throw new DossierError('OUTPUT_TROUBLE', message);
    }
    await sleep(lookEveryMs, undefined, { signal });
  }
}
