import { Worker } from 'node:worker_threads';
import type { RowRange } from '../ledger/run-records.ts';
import { siblingModule } from '../runtime/sibling-module.ts';
import { unpackError } from '../runtime/thread-error.ts';
import type { RangeText } from './range-text.ts';
import type { FromRowThread, RowThreadData } from './row-thread.ts';

export interface RowThread extends AsyncDisposable {
  /** The text of a range. Ranges are made one after the other, in the order of asking. */
  textOf(range: RowRange): Promise<RangeText>;
}

export function openRowThread(
  data: RowThreadData,
  onDamage: (answerId: number) => void,
): RowThread {
  const worker = new Worker(siblingModule(import.meta.url, 'row-thread'), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  const waiting: PromiseWithResolvers<RangeText>[] = [];
  let brokenBy: unknown;
  const breakDown = (error: unknown) => {
    brokenBy ??= error;
    for (const { reject } of waiting.splice(0)) reject(brokenBy);
  };
  worker.on('message', (answer: FromRowThread) => {
    const asked = waiting.shift();
    if ('failure' in answer) {
      asked?.reject(unpackError(answer.failure));
      return;
    }
    for (const answerId of answer.damaged) onDamage(answerId);
    asked?.resolve(answer.text);
  });
  worker.on('error', breakDown);
  worker.on('exit', () => breakDown(new Error('the thread of the export has ended')));
  return {
    textOf: (range) => {
      if (brokenBy !== undefined) return Promise.reject(brokenBy);
      const asked = Promise.withResolvers<RangeText>();
      // Whoever asked may have failed meanwhile, and hears of its own failure first.
      asked.promise.catch(() => {});
      waiting.push(asked);
      worker.postMessage(range);
      return asked.promise;
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}
