import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openThread, type Thread } from '../runtime/thread.ts';

/*
 * Decides, and nothing else does, whether a run or an export has a second thread. Below these sizes the
 * work is done before a thread has started.
 */
const leastRows = 4_000;
const leastBytes = 64 * 1_024;

/**
 * A thread for a run over a list. A list that is piped in may be of any size, and one that is gone is that
 * of a run which is resumed.
 */
export function openThreadForList(path: string): Thread | undefined {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
  return bytes >= leastBytes ? openWhereItHelps() : undefined;
}

/** A thread for writing the rows of a run. */
export function openThreadForRows(rows: number): Thread | undefined {
  return rows >= leastRows ? openWhereItHelps() : undefined;
}

function openWhereItHelps(): Thread | undefined {
  return availableParallelism() > 1 ? openThread() : undefined;
}
