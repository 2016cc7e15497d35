import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { withoutSecrets } from '../../src/core/values/known-secrets.ts';
import {
  isAddress,
  postgresAddress,
  redisAddress,
  secretAddress,
} from '../../src/job/read-address.ts';

const hook = 'https://hooks.example.com/services/T01AB2CD3/B9/xK93mQ7zLw2pR?thread=alpha-99';

test('an address is shown neither in logs and JSON nor, once it was used, in messages', () => {
  const address = secretAddress(hook, 'notify.url');
  expect(`${JSON.stringify(address)} ${inspect(address)}`).not.toContain('xK93');
  expect(address.reveal({})?.href).toBe(hook);
  const told = withoutSecrets(`POST ${hook} failed; services T01AB2CD3 and xK93mQ7zLw2pR of hooks`);
  expect(told).toBe('POST [redacted] failed; services [redacted] and [redacted] of hooks');
});

test('variables are filled in at use; an empty one turns the destination off', () => {
  const address = secretAddress(`\${HOOK:-}`, 'notify.url');
  expect(address.reveal({})).toBeUndefined();
  expect(address.reveal({ HOOK: ` ${hook}\n` })?.href).toBe(hook);
});

test('user name and password of a Redis are secrets, its host is not', () => {
  const reveal = (text: string) => secretAddress(text, 'service.share', redisAddress).reveal({});
  reveal('rediss://worker-4711:p%40ss@redis.example.com:6380/2');
  const told = withoutSecrets(
    'worker-4711 with p@ss or p%40ss is refused by redis.example.com:6380',
  );
  expect(told).toBe(
    '[redacted] with [redacted] or [redacted] is refused by redis.example.com:6380',
  );
  expect(() => reveal('redis://worker:50%off@redis.example.com')).toThrow('service.share is not');
  reveal('redis://10.0.0.7:6379');
  expect(withoutSecrets('redis://10.0.0.7:6379')).toBe('redis://10.0.0.7:6379');
});

test.each([
  ['postgres://loader:secret@db.example:5432/lake', true],
  ['postgresql:///leads?host=/run/postgresql', true],
  ['postgres:/loader:secret@db.example', false],
  ['postgres:leads', false],
])('whether %s is the address of a database: %s', (text, isOne) => {
  expect(isAddress(text, postgresAddress)).toBe(isOne);
});

test.each([
  ['postgres://loader:hunter22@db.example/lake?password=hunter23', 'postgres://db.example/lake'],
  [`postgres://loader:hunter22@\${HOST:-}/lake`, `postgres://\${HOST:-}/lake`],
  [`\${URL:-postgres://loader:hunter22@db.example/lake}`, `\${URL:-postgres://db.example/lake}`],
  [`\${START}loader:hunter22@db.example/lake`, 'db.example/lake'],
  [`\${WAREHOUSE_URL:-}`, `\${WAREHOUSE_URL:-}`],
])('%s is named without secrets and whatever its variables hold', (written, name) => {
  expect(secretAddress(written, 'output.postgres', postgresAddress).name).toBe(name);
  expect(secretAddress(written, 'notify.url').name).toBe('notify.url');
});

test.each([
  [{}, 'notify.url: the environment variable HOOK is not set'],
  [{ HOOK: 'hooks.example.com/secret-8' }, 'notify.url is not an http(s) URL'],
  [{ HOOK: 'ftp://hooks.example.com/secret-8' }, 'notify.url is not an http(s) URL'],
])('%j is refused without being shown', (env, message) => {
  const address = secretAddress(`\${HOOK}`, 'notify.url');
  expect(() => address.reveal(env)).toThrow(message);
  expect(() => address.reveal(env)).not.toThrow('secret-8');
});
