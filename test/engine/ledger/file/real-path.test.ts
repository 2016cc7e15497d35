import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realLedgerPath } from '../../../../src/engine/ledger/file/ledger-path.ts';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('links of the file and its folders are followed, those of folders before the file exists', () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('disk'));
  symlinkSync('disk', at('folder'));
  const real = realLedgerPath(at('disk/new/ledger.db'));
  expect(realLedgerPath(at('folder/new/ledger.db'))).toBe(real);
  openLedger(at('folder/new/ledger.db'))[Symbol.dispose]();
  symlinkSync('folder/new/ledger.db', at('first.db'));
  symlinkSync(at('first.db'), at('second.db'));
  expect(realLedgerPath(at('second.db'))).toBe(real);
});
