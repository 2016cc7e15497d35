import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { companyOf, domainOf, found, numberAsked } from '../journeys/sample-companies.ts';
import type { Reaction } from '../support/hostile-server.ts';
import { testIf } from '../support/needs.ts';
import { faultCase } from './support/fault-case.ts';
import { findSecret } from './support/find-secret.ts';
import { expectToEnd } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

/** A key with characters that JSON and URLs escape. */
const key = 'sk/Live+9f=8Qz7_tR2w';
const env = { DOSSIER_API_KEY: key };

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Ways in which services and proxies echo a key. */
const echoes: Readonly<Record<string, string>> = {
  plain: JSON.stringify(key),
  header: JSON.stringify(`Authorization: Bearer ${key}`),
  base64: JSON.stringify(base64(key)),
  url: JSON.stringify(`https://api.example.com/?key=${encodeURIComponent(key)}&x=1`),
  'url in small letters': JSON.stringify(encodeURIComponent(key).toLowerCase()),
  php: JSON.stringify(key).replaceAll('/', '\\/'),
  go: JSON.stringify(key).replaceAll('+', '\\u002b').replaceAll('=', '\\u003d'),
  hex: JSON.stringify(Buffer.from(key).toString('hex')),
};
const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

const echoTexts: readonly string[] = [
  ...Object.values(echoes),
  // JSON that reads as the key, or as a text that holds it.
  `"${key.replaceAll(/./g, escaped)}"`,
  `"${key.replaceAll(/./g, (sign) => escaped(sign).toUpperCase().replace('U', 'u'))}"`,
  `"${key.replace('s', escaped)}"`,
  `"${key.replace('w', escaped)}"`,
  `"${key.replace('Q', escaped).replaceAll('/', '\\/')}"`,
  `"Bearer \\"${key.replace('9', escaped)}\\""`,
  `"${base64(key).replaceAll(/[a-m]/g, escaped)}"`,
];

/** The service's reactions to the call with this number. */
const answers: readonly ((echo: string, number: number) => Reaction)[] = [
  (echo, number) => ({
    body: `{"id":"c_${number}","name":${echo},"odd":{"told":${echo},"more":[${echo}],${echo}:1}}`,
  }),
  (echo) => ({ body: `{"id":${echo}}` }),
  (echo) => ({ status: 400, body: `{"error":400,"message":${echo}}` }),
  (echo) => ({ status: 500, body: `{"error":{"code":"x","message":${echo}}}` }),
  (echo) => ({ status: 404, body: `{"error":${echo}}` }),
  (echo) => ({ status: 502, body: `<html><title>${JSON.parse(echo)}</title></html>` }),
  (echo) => ({ status: 500, body: `a${' '.repeat(29_990)}${JSON.parse(echo)}` }),
  () => ({
    status: 302,
    headers: { location: `http://${key.replaceAll(/\W/g, '')}.example.com/${key}` },
  }),
  (_, number) => ({
    ...found(companyOf(number)),
    headers: { 'x-key': key, 'set-cookie': `k=${key}` },
  }),
];

describe('the key', () => {
  faultCase(
    'is in no file and no stream, however the service echoes it',
    async (seed) => {
      await using world = await openWorld(
        { people: undefined, job: { limits: { attempts: 2 }, reuse: { misses: 0 } } },
        ({ path }) => {
          const number = numberAsked(path);
          if (number < 20) return undefined;
          const answer = answers[number % answers.length];
          return answer?.(seed.pick(echoTexts), number);
        },
      );
      const domains = Array.from({ length: 80 }, (_, number) => `,${domainOf(number)}`);
      writeFileSync(join(world.folder, 'leads.csv'), ['page,website', ...domains].join('\n'));
      const format = seed.pick(['text', 'json']);
      const runs = [
        await world.run({ env, args: ['--log-level', 'debug', '--log-format', format] }),
        // The calls of failed rows are made again and answered with the key again.
        await world.run({ env }),
      ];
      for (const run of runs) expectToEnd(run, 3);
      const command = seed.pick([
        ['status', '--json'],
        ['export', 'job.yaml'],
        ['plan', 'job.yaml'],
      ]);
      runs.push(await world.run({ env, command: [...command, '--ledger', 'ledger.db'] }));
      expect(world.asked()[0]?.headers.authorization).toBe(`Bearer ${key}`);
      expect(await findSecret(key, world, runs)).toEqual([]);
    },
    { long: 10 },
  );

  faultCase(
    'is in no process list, in no file of a killed run and in no crash',
    async () => {
      let isSilent = true;
      await using world = await openWorld({ people: undefined }, (_, index) =>
        isSilent && index >= 10 ? { neverAnswer: true } : undefined,
      );
      const running = world.start({ env });
      await world.untilAsked(12);
      const shown = shownOf(running.process.pid ?? 0);
      expect(shown).toContain('job.yaml');
      expect(shown).not.toContain(key);
      running.process.kill('SIGKILL');
      const killed = await running.ended;
      isSilent = false;
      const crash = await world.run({ env, nodeOptions: ['--import', crashModule] });
      expect(crash.by, crash.stderr).toBe(1);
      expect(crash.stderr).toContain('This is a bug in Dossier');
      expect(crash.stderr).toContain('Invalid header: Bearer [redacted]');
      expect(await findSecret(key, world, [killed, crash])).toEqual([]);
    },
    {
      where: testIf(existsSync('/proc/self/cmdline'), 'there is no /proc'),
      short: 0,
    },
  );
});

/** What every user of the machine can see of a process. */
function shownOf(pid: number): string {
  return ['cmdline', 'comm', 'stat']
    .map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
    .join('\n');
}

/** Makes the storing of the first answer fail as a bug would, with the key in its message. */
const crashModule = `data:text/javascript,${encodeURIComponent(`
  import { syncBuiltinESMExports } from 'node:module';
  import zlib from 'node:zlib';
  zlib.crc32 = () => {
    throw new TypeError('Invalid header: Bearer ' + process.env.DOSSIER_API_KEY);
  };
  syncBuiltinESMExports();`)}`;
