import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireRoom } from '../../../src/run/calls/require-room.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('nothing is asked where the answers would not fit on the disk', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  expect(() => requireRoom(ledger, 8)).not.toThrow();
  // More calls at once than any disk has room for.
  expect(() => requireRoom(ledger, 2 ** 50)).toThrow(/has only \d+ KB left on its disk/);
});

test('where nobody knows how much room there is, a run goes on', () => {
  expect(() => requireRoom('/nowhere/at/all/ledger.db', 2 ** 50)).not.toThrow();
});
