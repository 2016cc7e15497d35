import { inspect } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { DossierError } from '../../../src/core/errors.ts';
import { openObjectStore } from '../../../src/platform/objects/open-object-store.ts';
import { freePort } from '../../support/free-port.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { type Misdeed, startObjectStore } from '../../support/object-store.ts';

const service = await startObjectStore();
afterAll(() => service[Symbol.asyncDispose]());

const at = { bucket: service.bucket, key: 'a.csv' };

/** What is said of a request in this environment, made once. */
async function troubleIn(
  env: Readonly<Record<string, string>>,
  misdeed?: Misdeed,
  address = at,
): Promise<DossierError> {
  service.misbehave = () => misdeed;
  // Only a silent store is to be given up: a busy machine may answer late.
  const idleTimeoutMs = misdeed && 'hangs' in misdeed ? 500 : 60_000;
  const environment = { ...service.env, AWS_MAX_ATTEMPTS: '1', ...env };
  await using store = await openObjectStore(environment, idleTimeoutMs);
  const error = await store.put(address, Buffer.from('1')).then(
    () => expect.unreachable('it was written'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DossierError)) throw error;
  const everything = inspect(error, { showHidden: true, depth: 20 });
  expect(everything).not.toContain(service.secretKey);
  expect(everything).not.toMatch(/AWS4-HMAC|Signature=|StringToSign/);
  return error;
}

test.each<[string, Readonly<Record<string, string>>, Misdeed | undefined, string, string]>([
  [
    'a wrong secret key',
    { AWS_SECRET_ACCESS_KEY: 'wrong' },
    undefined,
    'STORE_REFUSED',
    'secret key',
  ],
  ['an unknown access key', { AWS_ACCESS_KEY_ID: 'who' }, undefined, 'STORE_REFUSED', 'access key'],
  ['a wrong clock', {}, { status: 403, code: 'RequestTimeTooSkewed' }, 'STORE_REFUSED', 'clock'],
  ['a silent store', {}, { hangs: true }, 'STORE_DOWN', 'no answer in time'],
  ['a store that hangs up', {}, { cut: 'request' }, 'STORE_DOWN', 'connection lost'],
  ['another region', {}, { status: 301, code: 'PermanentRedirect' }, 'BUCKET_MISSING', 'region'],
])('%s is reported in a sentence', async (_, env, misdeed, code, text) => {
  const error = await troubleIn(env, misdeed);
  expect(error.code).toBe(code);
  expect(error.message).toContain(`s3://${service.bucket}/a.csv: `);
  expect(error.message).toContain(text);
});

test('a bucket that is not there is named', async () => {
  const error = await troubleIn({}, undefined, { bucket: 'no-such-bucket', key: 'a.csv' });
  expect(error).toMatchObject({
    code: 'BUCKET_MISSING',
    message: 's3://no-such-bucket/a.csv: there is no such bucket',
  });
});

test('credentials that are nowhere are missed', async () => {
  const nowhere = { ...service.env, AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
  // The SDK looks for them in the environment of the process.
  for (const [name, value] of Object.entries({ ...nowhere, AWS_PROFILE: '', HOME: '/none' })) {
    vi.stubEnv(name, value);
  }
  const error = await troubleIn(nowhere);
  expect(error).toMatchObject({
    code: 'STORE_REFUSED',
    message: expect.stringContaining('no credentials'),
  });
});

test('a dead address, one without a store, and an invalid one are reported', async () => {
  const nobody = await troubleIn({ AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` });
  expect(nobody).toMatchObject({ code: 'STORE_DOWN', message: expect.stringContaining('refused') });
  await using page = await openHostileServer({ status: 200, body: '<html><p>Welcome' });
  await using store = await openObjectStore({ ...service.env, AWS_ENDPOINT_URL: page.url });
  await expect(Array.fromAsync(store.list(at))).rejects.toMatchObject({
    code: 'BUCKET_MISSING',
    message: expect.stringContaining('does not respond like an object store'),
  });
  for (const url of ['127.0.0.1:9000', 'ftp://store', 'https://user:hidden@store']) {
    const opened = openObjectStore({ ...service.env, AWS_ENDPOINT_URL_S3: url });
    await expect(opened).rejects.toMatchObject({
      code: 'BUCKET_MISSING',
      message: expect.not.stringContaining('hidden'),
    });
  }
});

test('secrets that a store echoes are removed', async () => {
  const echo = { status: 400, code: `Bad-${service.secretKey}` };
  expect((await troubleIn({}, echo)).message).toContain('[redacted]');
});
