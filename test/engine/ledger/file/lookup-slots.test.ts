import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLookupSlot, takeLookupSlot } from '../../../../src/engine/ledger/file/locks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('lookups side by side have places of their own, and a place is taken again when free', () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  using first = takeLookupSlot(ledger);
  {
    using second = takeLookupSlot(ledger);
    expect([first.job, second.job]).toEqual(['lookup@1', 'lookup@2']);
  }
  using third = takeLookupSlot(ledger);
  expect(third.job).toBe('lookup@2');
});

test('a job called lookup is not taken for a lookup', () => {
  expect(['lookup@1', 'lookup', 'lookup-1', 'lookup@x'].filter(isLookupSlot)).toEqual(['lookup@1']);
});
