import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openStore, type Store, storedColumns } from '../../src/service/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const company = storedColumns({ id: 'c' });

test('a read sees what another connection wrote before the turn', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'store.db');
  using writer = openStore(path);
  using reader = openStore(path);
  for (const body of ['first', 'second', 'third']) {
    writer.putCompany({ ...company, body });
    expect(read(reader)).toBe(body);
    expect(read(reader)).toBe(body);
    await nextTurn();
  }
});

function read(store: Store): string | undefined {
  return store.findCompany([{ column: 'id', value: 'c' }], 'AU')?.toString();
}
