import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openThread, type Thread } from '../runtime/thread.ts';

/** Below about four thousand rows the work is done before a thread has started. */
const leastBytes = 64 * 1_024;

/**
 * The one place that decides whether a run has a second thread. A list that is piped in may be of any
 * size, and a file that is gone is that of a run which is resumed.
 */
export function openThreadFor(inputPath: string): Thread | undefined {
  const bytes = statSync(inputPath, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  return bytes >= leastBytes && availableParallelism() > 1 ? openThread() : undefined;
}
