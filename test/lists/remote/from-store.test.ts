import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSource } from '../../../src/lists/remote/open-source.ts';
import { type ListAddress, listAddress } from '../../../src/platform/files/local-path.ts';
import { nextRequests, startSharedStore } from '../../support/object-store.ts';

const list = `website\n${'acme.com\n'.repeat(20_000)}`;
const { service: store, store: objects } = await startSharedStore();
await put('in/leads.csv', list);
beforeEach(() => {
  for (const [name, value] of Object.entries(store.env)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

async function put(key: string, text: string | Buffer): Promise<void> {
  await objects.put({ bucket: store.bucket, key }, Buffer.from(text));
}

function addressOf(key: string): ListAddress {
  const address = listAddress(`s3://${store.bucket}/${key}`);
  if (!address) throw new Error('no address');
  return address;
}

async function read(place: ListAddress | string) {
  const source = await openSource(place, { firstWaitMs: 1 });
  const chunks = await Array.fromAsync(source.bytes);
  await source.close();
  return { text: Buffer.concat(chunks).toString() };
}

test('an object is read whole, also where its connection is cut', async () => {
  store.misbehave = nextRequests(1, { cut: 'body' }, ({ method }) => method === 'GET');
  const { text } = await read(addressOf('in/leads.csv'));
  expect(text === list).toBe(true);
});

test('a missing or forbidden object is named', async () => {
  await expect(read(addressOf('in/other.csv'))).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: `s3://${store.bucket}/in/other.csv does not exist: no such object`,
  });
  await expect(read('s3://no-such-bucket/in/leads.csv')).rejects.toMatchObject({
    code: 'BUCKET_MISSING',
  });
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wr0ng-secret-key');
  await expect(read(addressOf('in/leads.csv'))).rejects.toMatchObject({
    code: 'STORE_REFUSED',
    message: expect.not.stringContaining('wr0ng-secret-key'),
  });
});
