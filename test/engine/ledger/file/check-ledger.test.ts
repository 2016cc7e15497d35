import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkLedger } from '../../../../src/engine/ledger/care/examine-ledger.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

function withLedger(work: (path: string) => void): void {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  openLedger(path)[Symbol.dispose]();
  work(path);
}

const codeOf = (path: string) => {
  try {
    return checkLedger(path);
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

test('a whole ledger is well, also while somebody else writes to it', () => {
  withLedger((path) => {
    expect(checkLedger(path)).toEqual({ runs: 0 });
    const writer = new Database(path);
    writer.exec('begin immediate');
    expect(checkLedger(path)).toEqual({ runs: 0 });
    writer.close();
  });
});

test('a ledger that lost a page is damaged', () => {
  withLedger((path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x55, 4_096, 3 * 4_096));
    expect(codeOf(path)).toBe('LEDGER_DAMAGED');
    writeFileSync(path, 'no database at all '.repeat(100));
    expect(codeOf(path)).toBe('LEDGER_DAMAGED');
  });
});
