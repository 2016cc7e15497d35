import { asLedgerTrouble } from '../../ledger/file/ledger-trouble.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import type { RecordedRun, RowRange, RunRecords } from '../../ledger/run-records.ts';
import { batchOfRows } from '../../records/record-batch.ts';
import { type EncodedBatch, type EncodePlan, openBatchEncoder } from './encode-batch.ts';

/** What a second thread needs to read the rows of a run from the ledger itself. */
export interface StoredRun {
  /** Path of the ledger. */
  readonly ledger: string;
  readonly run: RecordedRun;
}

export interface EncodeThreadData extends StoredRun {
  readonly plan: EncodePlan;
}

export interface EncodedRange {
  readonly batch: EncodedBatch;
  /** Answers whose bytes have changed. */
  readonly damaged: readonly number[];
}

/** Encodes ranges of rows in a second thread, with the encoder that the main thread uses too. */
export function serve({ ledger: path, run, plan }: EncodeThreadData) {
  const encode = openBatchEncoder(plan);
  let ledger: Ledger | undefined;
  let records: RunRecords | undefined;
  let damaged: number[] = [];

  function openRecords(): RunRecords {
    ledger ??= openLedgerToRead(path);
    if (!ledger) throw new Error(`${path} is gone`);
    return ledger.records.of(run, (answerId) => damaged.push(answerId));
  }
  return {
    encode(range: RowRange, move: (buffer: ArrayBuffer) => void): EncodedRange {
      damaged = [];
      try {
        records ??= openRecords();
        const batch = encode(batchOfRows(records.rows(range), plan.headers.length));
        for (const part of Object.values(batch.parts)) if (hasBytes(part)) move(part.bytes.buffer);
        return { batch, damaged };
      } catch (error) {
        throw asLedgerTrouble(path, error);
      }
    },
    /** Closes the ledger: it is one file again when the last connection to it is closed. */
    close: () => ledger?.[Symbol.dispose](),
  };
}

function hasBytes(part: unknown): part is { readonly bytes: Uint8Array<ArrayBuffer> } {
  return typeof part === 'object' && part !== null && 'bytes' in part;
}
