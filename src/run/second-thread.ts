import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openThread, type Thread } from '../runtime/thread/thread.ts';

/*
 * Decides, and nothing else does, whether a run or an export has a second thread. Below these sizes the
 * work is done before a thread has started.
 */
const leastRows = 4_000;
const leastBytes = 64 * 1_024;

/** A thread for a run over a list. */
export function openThreadForList(path: string): Thread | undefined {
  return bytesOf(path) >= leastBytes ? openWhereItHelps() : undefined;
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

/** A thread for writing the rows of a run. */
export function openThreadForRows(rows: number): Thread | undefined {
  return rows >= leastRows ? openWhereItHelps() : undefined;
}

function openWhereItHelps(): Thread | undefined {
  return availableParallelism() > 1 ? openThread() : undefined;
}
