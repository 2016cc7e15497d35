import { statSync } from 'node:fs';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';

/** The ledgers of a folder's jobs, kept open to be read. */
export interface OpenLedgers extends Disposable {
  /**
   * Undefined where there is no ledger at this path. While a run begins it may be making the ledger, or
   * bringing it up to date: then there is none to read yet.
   */
  of(path: string, isRunning: boolean): Ledger | undefined;
}

export function openLedgers(): OpenLedgers {
  const opened = new Map<string, { readonly ledger: Ledger; readonly file: string }>();
  const close = (path: string) => {
    opened.get(path)?.ledger[Symbol.dispose]();
    opened.delete(path);
  };
  return {
    of(path, isRunning) {
      const file = fileAt(path);
      // A ledger that was moved away or made anew is another one, under the same path.
      if (opened.get(path)?.file !== file) close(path);
      const known = opened.get(path)?.ledger;
      if (known || file === undefined) return known;
      const ledger = isRunning ? openUnlessBeingMade(path) : openLedgerToRead(path);
      if (ledger) opened.set(path, { ledger, file });
      return ledger;
    },
    [Symbol.dispose]() {
      for (const path of [...opened.keys()]) close(path);
    },
  };
}

function openUnlessBeingMade(path: string): Ledger | undefined {
  try {
    return openLedgerToRead(path);
  } catch (error) {
    // A reader finds that a migration is missing, and may not write.
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'SQLITE_READONLY') return undefined;
    throw error;
  }
}

function fileAt(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && `${facts.dev} ${facts.ino}`;
}
