import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realLedgerPath } from '../../../../src/engine/ledger/file/ledger-path.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('links of the file and its folders are followed, also before the file exists', () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('disk'));
  symlinkSync('disk', at('folder'));
  symlinkSync('folder/new/ledger.db', at('first.db'));
  symlinkSync(at('first.db'), at('second.db'));
  const real = realLedgerPath(at('disk/new/ledger.db'));
  expect(realLedgerPath(at('folder/new/ledger.db'))).toBe(real);
  expect(realLedgerPath(at('second.db'))).toBe(real);
  openLedger(at('second.db'))[Symbol.dispose]();
  expect(realLedgerPath(at('second.db'))).toBe(real);
});

test('a link to itself is reported', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  symlinkSync('ledger.db', path);
  expect(() => openLedger(path)).toThrow(/leads to itself/);
});
