import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openThread, type Thread } from '../runtime/thread/thread.ts';

/** A smaller list is done before a thread has started. */
const leastBytes = 64 * 1_024;

/** A thread for a run over a list, where it helps. Nothing else decides that. */
export function openThreadForList(path: string): Thread | undefined {
  const isLarge = availableParallelism() > 1 && bytesOf(path) >= leastBytes;
  return isLarge ? openThread() : undefined;
}

/** A pipe may bring any amount, and a list that cannot be reached is that of a run which is resumed. */
function bytesOf(path: string): number {
  try {
    const facts = statSync(path);
    return facts.isFile() ? facts.size : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
