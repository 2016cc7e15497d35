import { copyFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger, openLedgerToRead } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { callIdOf } from '../support/answers.ts';

function writeLedger(folder: string): string {
  const path = join(folder, 'ledger.db');
  using ledger = openLedger(path);
  ledger.inTransaction(() => callIdOf(ledger, { key: Buffer.from('k'), text: 'company?abn=1' }));
  return path;
}

test('a ledger that lacks its last bytes is damaged', () => {
  using folder = temporaryFolder();
  const path = writeLedger(folder.path);
  truncateSync(path, statSync(path).size - 420);
  const damaged = expect.objectContaining({ code: 'LEDGER_DAMAGED' });
  expect(() => openLedger(path)).toThrow(damaged);
  expect(() => openLedgerToRead(path)).toThrow(damaged);
});

test('a file that ends within a page while its log lies beside it is the business of SQLite', () => {
  using folder = temporaryFolder();
  const path = writeLedger(folder.path);
  using ledger = openLedger(path);
  ledger.inTransaction(() => callIdOf(ledger, { key: Buffer.from('l'), text: 'company?abn=2' }));
  const copy = join(folder.path, 'copy.db');
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  writeFileSync(copy, Buffer.alloc(10), { flag: 'a' });
  using copied = openLedger(copy);
  expect(copied.calls.find(Buffer.from('l'))).toBe(2);
});
