import type { RowRange } from '../../ledger/run-records.ts';
import { siblingModule } from '../../runtime/sibling-module.ts';
import type { Thread } from '../../runtime/thread.ts';
import type { EncodedBatch } from './encode-batch.ts';
import type { EncodeThreadData, serve } from './encode-thread.ts';

export interface EncodeThread extends AsyncDisposable {
  /** Ranges are encoded one after the other, in the order of asking. */
  encode(range: RowRange): Promise<EncodedBatch>;
}

export function openEncodeThread(
  thread: Thread,
  data: EncodeThreadData,
  onDamage: (answerId: number) => void,
): EncodeThread {
  const opening = thread.open<ReturnType<typeof serve>>(
    siblingModule(import.meta.url, 'encode-thread'),
    data,
  );
  // A failure is thrown by the first range that is asked for.
  opening.catch(() => {});
  return {
    async encode(range) {
      const { batch, damaged } = await (await opening).ask('encode', range);
      for (const answerId of damaged) onDamage(answerId);
      return batch;
    },
    async [Symbol.asyncDispose]() {
      // A thread that has broken down has closed its ledger, and its ranges have failed.
      await opening.then((served) => served.ask('close', undefined)).catch(() => {});
    },
  };
}
