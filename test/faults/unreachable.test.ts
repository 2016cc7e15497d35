import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { type HostileServer, openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { testWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectToEnd, expectToStop } from './support/expect-stop.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import type { Shape } from './support/sample-job.ts';
import { openWorld, worldKey } from './support/world.ts';

const shape: Partial<Shape> = {
  rows: 20,
  people: undefined,
  job: { limits: { attempts: 2, timeout: '5s' } },
};

/** Runs with a wrong address of the service, and then with the right one. */
async function expectToBeTold(
  url: string,
  sentence: string | RegExp,
  code: ErrorCode = 'SERVICE_DOWN',
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using world = await openWorld(shape);
  expectToStop(await world.run({ env: { ...env, DOSSIER_URL: url } }), code, sentence);
  expect(world.asked()).toHaveLength(0);
  expectToEnd(await world.run());
  await expectNothingLost(world);
}

/** What else may live at an address. */
const wrongAddresses: readonly [reaction: Reaction, code: ErrorCode, sentence: string][] = [
  [
    { status: 404, body: '<html><title>404 Not Found</title></html>' },
    'JOB_REFUSED',
    'HTTP 404: 404 Not Found (is the address right?)',
  ],
  [{ status: 404, body: 'default backend - 404' }, 'JOB_REFUSED', 'default backend - 404'],
  [{ status: 404, body: '{"error":40402}' }, 'JOB_REFUSED', 'HTTP 404'],
  [{ status: 404, body: '{}' }, 'JOB_REFUSED', 'HTTP 404'],
  [{ body: '{"status":"maintenance"}' }, 'SERVICE_DOWN', 'nothing that was asked for'],
];

async function closedPort(): Promise<string> {
  await using server = await openHostileServer({});
  return server.url;
}

describe('a service that is not there, or sends elsewhere', () => {
  faultCase(
    'a refused connection',
    async () => {
      await expectToBeTold(await closedPort(), 'connection refused');
    },
    { rounds: { short: 0, long: 1 } },
  );

  faultCase(
    'a host that has no address',
    async () => {
      await expectToBeTold(
        'http://service.invalid',
        /host name (not found|could not be looked up)/,
      );
    },
    { rounds: { short: 0, long: 1 } },
  );

  faultCase(
    'a service without TLS behind an https address',
    async () => {
      const server = createServer((_, response) => response.end('{"id":"c_1"}'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      await expectToBeTold(`https://127.0.0.1:${port}`, 'answer is not TLS');
      server.close();
    },
    { rounds: { short: 0, long: 1 } },
  );

  faultCase(
    'an untrusted certificate or one of another host, and a service with TLS behind an http address',
    async () => {
      using folder = temporaryFolder();
      await using server = await openTlsServer(folder.path);
      await expectToBeTold(server.url, 'certificate not trusted: self-signed');
      // A trusted certificate of another host.
      const trusting = { NODE_EXTRA_CA_CERTS: join(folder.path, 'cert.pem') };
      const elsewhere = 'certificate is for another host';
      await expectToBeTold(server.url, elsewhere, 'SERVICE_DOWN', trusting);
      await expectToBeTold(server.url.replace('https', 'http'), /connection lost|not HTTP/);
      expect(server.seen).toHaveLength(0);
    },
    { where: testWhere('openssl'), rounds: { short: 0, long: 1 } },
  );

  faultCase(
    'a wrong address is called wrong, and none of its answers is remembered as a miss',
    async (seed) => {
      const [reaction, code, sentence] = wrongAddresses[seed.value % wrongAddresses.length] ?? [{}];
      await using elsewhere = await openHostileServer(reaction);
      await expectToBeTold(elsewhere.url, sentence ?? '', code);
    },
    { rounds: { short: 2, long: 2 * wrongAddresses.length } },
  );

  faultCase('a redirect to another host is not followed, and the key does not travel', async () => {
    await using elsewhere = await openHostileServer({ body: '{"id":"c_stolen"}' });
    const { port } = new URL(elsewhere.url);
    const locations = [
      `${elsewhere.url}/company`,
      `//127.0.0.1:${port}/company`,
      `http://localhost:${port}/`,
      `http:\\\\127.0.0.1:${port}`,
    ];
    let asked = 0;
    await using server = await openHostileServer(() => {
      asked += 1;
      const status = [301, 302, 303, 307, 308][asked % 5] ?? 302;
      return { status, headers: { location: locations[asked % locations.length] ?? '' } };
    });
    await expectToBeTold(server.url, /HTTP 30\d (to another host|without a readable Location)/);
    expect(elsewhere.connections()).toBe(0);
  });

  faultCase(
    'redirects that never end',
    async () => {
      await using server = await openHostileServer(({ path }) => ({
        status: 302,
        headers: { location: `${path}x` },
      }));
      await expectToBeTold(server.url, 'more than 5 redirects');
      expect(server.seen.every(({ headers }) => headers.authorization?.includes(worldKey))).toBe(
        true,
      );
      await using loop = await openHostileServer({
        status: 308,
        headers: { location: '/company' },
      });
      await expectToBeTold(loop.url, 'more than 5 redirects');
    },
    { rounds: { short: 0, long: 1 } },
  );
});

async function openTlsServer(folder: string): Promise<HostileServer> {
  const path = (name: string) => join(folder, name);
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', path('key.pem'), '-out', path('cert.pem')];
  execFileSync('openssl', ['req', ...kind, '-days', '1', '-subj', '/CN=elsewhere', ...files], {
    stdio: 'ignore',
  });
  const tls = { key: readFileSync(path('key.pem')), cert: readFileSync(path('cert.pem')) };
  return await openHostileServer({ body: '{"id":"c_1"}' }, tls);
}
