import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type ConnectProxy, openConnectProxy } from '../../support/connect-proxy.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { makeCertificate } from '../../support/make-certificate.ts';
import { testWhere } from '../../support/needs.ts';
import { faultCase } from '../support/fault-case.ts';
import { answerTruly, defaultShape } from '../support/sample-job.ts';
import { expectToEnd, expectToStop } from '../support/trouble.ts';
import { type Ended, openWorld, worldKey } from '../support/world.ts';

const password = 'p4ss-of-the-proxy';
const credentials = Buffer.from(`me:${password}`).toString('base64');
const shape = { ...defaultShape, rows: 10, people: 1, job: { limits: { attempts: 2 } } };

function throughProxy({ url }: ConnectProxy) {
  const proxy = url.replace('//', `//me:${password}@`);
  return { DOSSIER_URL: 'https://service.invalid', HTTPS_PROXY: proxy };
}

function expectNoCredentials(...ends: readonly Ended[]): void {
  for (const { stdout, stderr } of ends) {
    expect(stdout + stderr).not.toContain(password);
    expect(stdout + stderr).not.toContain(credentials);
  }
}

describe('a proxy', () => {
  faultCase(
    'tunnels to a service with TLS without seeing the key, and its password stays secret',
    async () => {
      const tls = makeCertificate('DNS:service.invalid');
      await using service = await openHostileServer((request) => answerTruly(shape, request), tls);
      await using proxy = await openConnectProxy({ port: Number(new URL(service.url).port) });
      await using world = await openWorld(shape);
      const certificate = join(world.folder, 'cert.pem');
      writeFileSync(certificate, tls.cert);
      const env = { ...throughProxy(proxy), NODE_EXTRA_CA_CERTS: certificate };
      const check = await world.run({ env, command: ['check', 'job.yaml'] });
      expect(check.stdout).toMatch(/service\.invalid\s+is\s+responding/);
      const run = await world.run({ env, args: ['--log-level', 'debug'] });
      expectToEnd(run);
      expect(
        service.seen.every(({ headers }) => headers.authorization === `Bearer ${worldKey}`),
      ).toBe(true);
      for (const { host, headers } of proxy.asked) {
        expect(host).toBe('service.invalid:443');
        expect(headers['proxy-authorization']).toBe(`Basic ${credentials}`);
        expect(JSON.stringify(headers)).not.toContain(worldKey);
      }
      expectNoCredentials(check, run);
    },
    { where: testWhere('openssl') },
  );

  faultCase(
    'that refuses its tunnel is reported as a proxy error, not as a refused key',
    async () => {
      await using world = await openWorld(shape);
      for (const [status, sentence] of [
        [407, 'the proxy needs a user and password, or refused them (HTTP 407)'],
        [403, 'the proxy refuses the connection (HTTP 403)'],
      ] as const) {
        await using proxy = await openConnectProxy({ status });
        const env = throughProxy(proxy);
        const run = await world.run({ env, args: ['--log-level', 'debug'] });
        expectToStop(run, 'SERVICE_DOWN');
        expect(run.stderr).toContain(sentence);
        expectNoCredentials(run);
      }
      expect(world.asked()).toHaveLength(0);
    },
    { short: 0 },
  );
});
