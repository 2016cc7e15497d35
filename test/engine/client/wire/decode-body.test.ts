import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from '../../../../src/engine/client/wire/decode-body.ts';
import { openLargeBodies } from '../../../../src/engine/client/wire/large-bodies.ts';

const text = '{"id":"7","name":"Acme"}';

function decode(body: Buffer, encoding: string, maxBytes = 1_000) {
  const headers = { 'content-encoding': encoding };
  const answer = { status: 200, headers, body };
  return decodeBody(answer, maxBytes, openLargeBodies(1), { isLarge: false });
}

test.each([
  ['gzip', gzipSync(text)],
  ['GZIP', gzipSync(text)],
  ['br', brotliCompressSync(text)],
  ['identity', Buffer.from(text)],
])('%s is taken off', async (encoding, body) => {
  expect((await decode(body, encoding)).toString()).toBe(text);
});

test('a gzip of two members is one body', async () => {
  const body = Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))]);
  expect((await decode(body, 'gzip')).toString()).toBe(text);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('a bomb of %s stops at the limit', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(4_000_000));
  await expect(decode(bomb, encoding, 100_000)).rejects.toThrow('over 100000 bytes');
});

test.each([
  ['cut short', gzipSync(text).subarray(0, 20)],
  ['not gzip at all', Buffer.from(text)],
])('a gzip that is %s is an error', async (_what, body) => {
  await expect(decode(body, 'gzip')).rejects.toThrow();
});

test.each(['compress', 'zstd', 'gzip, br', 'constructor'])('%j is not taken', async (encoding) => {
  await expect(decode(gzipSync(text), encoding)).rejects.toThrow('compressed');
});

test('an error says enough by its status: a bomb in its place is nothing', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const bodies = openLargeBodies(1);
  const decodeError = (body: Buffer) =>
    decodeBody({ status: 500, headers, body: gzipSync(body) }, 32_000_000, bodies, {
      isLarge: false,
    });
  expect(await decodeError(Buffer.alloc(1_000_000, '{},'))).toHaveLength(0);
  expect((await decodeError(Buffer.from(text))).toString()).toBe(text);
});
