import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/care/create-ledger.ts';
import { takeNote } from '../../src/ledger/care/snapshot/note-file.ts';
import { openObjectStore } from '../../src/objects/open-object-store.ts';
import { fetchLedger } from '../../src/snapshot/restore-ledger.ts';
import { storeCopy } from '../../src/snapshot/store-ledger.ts';
import { startObjectStore } from '../support/object-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a stored ledger that is cut short, empty, spoilt, gone or none at all is told as such', async () => {
  await using server = await startObjectStore();
  await using store = await openObjectStore({ ...server.env });
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  createLedger(ledger);
  takeNote(ledger);
  const to = { bucket: server.bucket, key: 'ledger.db.zst.g1-0a' };
  await storeCopy(store, {
    ...{ ledger, to, place: 's3://here', generation: 1, token: '0a', lineage: 'one', storedAt: 0 },
  });
  const found = await store.get(to);
  const whole = Buffer.concat(await Array.fromAsync(found?.bytes ?? []));
  const spoilt = Buffer.from(whole);
  spoilt.writeUInt8(255 - spoilt.readUInt8(whole.length >> 1), whole.length >> 1);
  const { signal } = new AbortController();
  const fetched = (name: string) => fetchLedger(store, to, join(folder.path, name), signal);
  await fetched('whole');
  const wrong = { cut: whole.subarray(0, whole.length / 2), spoilt, none: Buffer.from('<html>') };
  for (const [name, bytes] of Object.entries({ ...wrong, empty: Buffer.alloc(0) })) {
    await store.put(to, bytes);
    await expect(fetched(name)).rejects.toMatchObject({ code: 'SNAPSHOT_DAMAGED' });
  }
  await store.remove(to);
  await expect(fetched('gone')).rejects.toMatchObject({ code: 'SNAPSHOT_DAMAGED' });
});
