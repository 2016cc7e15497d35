import { statSync } from 'node:fs';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';

/** The ledgers of a folder's jobs, kept open to be read. */
export interface OpenLedgers extends Disposable {
  /** Undefined where there is no ledger at this path. */
  of(path: string): Ledger | undefined;
}

export function openLedgers(): OpenLedgers {
  const opened = new Map<string, { readonly ledger: Ledger; readonly file: string }>();
  const close = (path: string) => {
    opened.get(path)?.ledger[Symbol.dispose]();
    opened.delete(path);
  };
  return {
    of(path) {
      const file = fileAt(path);
      // A ledger that was moved away or made anew is another one, under the same path.
      if (opened.get(path)?.file !== file) close(path);
      const known = opened.get(path)?.ledger;
      if (known || file === undefined) return known;
      const ledger = openLedgerToRead(path);
      if (ledger) opened.set(path, { ledger, file });
      return ledger;
    },
    [Symbol.dispose]() {
      for (const path of [...opened.keys()]) close(path);
    },
  };
}

function fileAt(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && `${facts.dev} ${facts.ino}`;
}
