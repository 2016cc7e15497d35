import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLog } from '../../../src/runtime/log/log.ts';
import { buildService } from '../../../src/service/build-service.ts';
import { openStore } from '../../../src/service/open-store.ts';
import { recentAnswers } from '../../../src/service/routes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const acme = Buffer.from('acme');

function keepTwice(recent: ReturnType<typeof recentAnswers>, url: string, answer: Buffer): void {
  recent.keep(url, answer);
  recent.keep(url, answer);
}

test('an answer is cached from its second request until the store changes', () => {
  let version = 1;
  const recent = recentAnswers(() => version);
  recent.keep('/company?id=1', acme);
  expect(recent.get('/company?id=1')).toBeUndefined();
  recent.keep('/company?id=1', acme);
  expect(recent.get('/company?id=1')).toBe(acme);
  expect(recent.get('/company?id=2')).toBeUndefined();
  version = 2;
  expect(recent.get('/company?id=1')).toBeUndefined();
});

test('the oldest answers are dropped first', () => {
  const recent = recentAnswers(() => 1, { maxBytes: 15 });
  for (const url of ['/1', '/2', '/3']) keepTwice(recent, url, acme);
  expect(['/1', '/2', '/3'].map((url) => recent.get(url))).toEqual([undefined, acme, acme]);
});

test('an answer larger than the cache is not kept, and nothing is dropped for it', () => {
  const recent = recentAnswers(() => 1, { maxBytes: 15 });
  keepTwice(recent, '/1', acme);
  keepTwice(recent, '/2', Buffer.alloc(20));
  expect([recent.get('/1'), recent.get('/2')]).toEqual([acme, undefined]);
});

test('a company that another process loads again is served at once, cached or not', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'store.db');
  using loading = openStore(path);
  using store = openStore(path);
  const log = openLog({ format: 'text', level: 'silent' });
  const service = buildService({ store, keys: ['k'], log, version: '0' });
  const company = { id: 'c', abn: null, fqdn: null, website: null, network: null, country: null };
  for (const body of ['{"id":"c","name":"old"}', '{"id":"c","name":"new"}']) {
    loading.putCompany({ ...company, body });
    await nextTurn();
    for (const _ of ['asked', 'asked again', 'and once more']) {
      const headers = { authorization: 'Bearer k' };
      const answer = await service.inject({ url: '/company?id=c', headers });
      expect(answer.body).toBe(body);
    }
  }
});
