import type { MessagePort } from 'node:worker_threads';
import { asLedgerTrouble } from '../ledger/file/ledger-trouble.ts';
import { type Ledger, openLedgerToRead } from '../ledger/open-ledger.ts';
import type { RowRange, RunRecords } from '../ledger/run-records.ts';
import { packError, type ThreadError } from '../runtime/thread-error.ts';
import { openRangeFormatter, type RangeText, type TextOptions } from './range-text.ts';
import { openRunTally, type RunTally } from './run-tally.ts';

export interface RowThreadData {
  readonly ledger: string;
  readonly run: {
    readonly id: number;
    readonly columns: readonly string[];
    readonly hasPeople: boolean;
  };
  readonly options: TextOptions;
}

/** A range wants its text; at the end, all that was folded on the way is asked for. */
export type ToRowThread = RowRange | 'tally' | 'close';

export interface ThreadedRange {
  readonly text: RangeText;
  readonly damaged: readonly number[];
}

export type FromRowThread =
  | ThreadedRange
  | { readonly tally: RunTally }
  | { readonly failure: ThreadError };

/**
 * The thread of an export: it reads rows from the ledger and makes their text, while the other
 * thread does the same with the rows before and behind and writes the files.
 */
export function serve(port: MessagePort, { ledger: path, run, options }: RowThreadData): void {
  let ledger: Ledger | undefined;
  let records: RunRecords | undefined;
  let damaged: number[] = [];
  const tally = openRunTally();
  const format = openRangeFormatter(run.columns, options, tally);

  function textOf(range: RowRange): ThreadedRange {
    // Opened by the first range, so that whoever asked for it hears why it cannot be.
    records ??= openRecords();
    damaged = [];
    return { text: format(records.rows(range)), damaged };
  }

  function openRecords(): RunRecords {
    ledger ??= openLedgerToRead(path);
    if (!ledger) throw new Error(`${path} is gone`);
    return ledger.records.of(run, (answerId) => damaged.push(answerId));
  }

  function answer(range: RowRange): void {
    try {
      const { text, damaged } = textOf(range);
      const bytes = [...text.companies, ...text.rejects];
      port.postMessage(
        { text, damaged } satisfies FromRowThread,
        bytes.map(({ buffer }) => buffer),
      );
    } catch (error) {
      const failure = packError(asLedgerTrouble(path, error));
      port.postMessage({ failure } satisfies FromRowThread);
    }
  }

  port.on('message', (message: ToRowThread) => {
    switch (message) {
      case 'tally':
        port.postMessage({ tally: tally.facts() } satisfies FromRowThread);
        return;
      case 'close':
        ledger?.[Symbol.dispose]();
        port.close();
        return;
      default:
        answer(message);
    }
  });
}
