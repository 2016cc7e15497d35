import { describe, expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { faultCase } from './support/fault-case.ts';
import { expectNothingLost } from './support/oracle.ts';
import type { Shape } from './support/sample-job.ts';
import { expectToEnd, expectToStop } from './support/trouble.ts';
import { openWorld } from './support/world.ts';

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
): Promise<void> {
  await using world = await openWorld(shape);
  expectToStop(await world.run({ env: { DOSSIER_URL: url } }), code, sentence);
  expect(world.asked()).toHaveLength(0);
  expectToEnd(await world.run());
  await expectNothingLost(world);
}

/** What else may live at an address. */
const wrongAddresses: readonly [reaction: Reaction, code: ErrorCode, sentence: string][] = [
  [
    { status: 404, body: '<html><title>404 Not Found</title></html>' },
    'JOB_REFUSED',
    'HTTP 404: 404 Not Found (is the URL right?)',
  ],
  [{ status: 404, body: 'default backend - 404' }, 'JOB_REFUSED', 'default backend - 404'],
  [{ status: 404, body: '{"error":40402}' }, 'JOB_REFUSED', 'HTTP 404'],
  [{ status: 404, body: '{}' }, 'JOB_REFUSED', 'HTTP 404'],
  [{ body: '{"status":"maintenance"}' }, 'SERVICE_DOWN', 'without a usable answer'],
];

describe('a service that is not there, or sends elsewhere', () => {
  faultCase(
    'a wrong address is reported, and its answers are never stored as misses',
    async (seed) => {
      const [reaction, code, sentence] = wrongAddresses[seed.value % wrongAddresses.length] ?? [{}];
      await using elsewhere = await openHostileServer(reaction);
      await expectToBeTold(elsewhere.url, sentence ?? '', code);
    },
    { long: 2 * wrongAddresses.length },
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
});
