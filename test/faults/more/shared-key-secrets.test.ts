import { describe, expect } from 'vitest';
import { companyOf, found, numberAsked } from '../../journeys/sample-companies.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';
import { faultCase } from '../support/fault-case.ts';
import { findIn, findSecret } from '../support/find-secret.ts';
import { redisBytes } from '../support/share/redis-bytes.ts';
import { openSharedWorld } from '../support/share/shared-world.ts';
import { expectToEnd } from '../support/trouble.ts';

/** A key and a password with characters that JSON and URLs escape. */
const key = 'sk/Live+9f=8Qz7_tR2w';
const password = 'pw/Redis+3d=7Kx5_uV9z';
const env = { DOSSIER_API_KEY: key };

describe('neither the key nor the password of Redis', () => {
  faultCase(
    'is in a byte of Redis, in a file or in a stream, also where Redis is lost',
    async (seed) => {
      await using redis = await startRedis({ config: { requirepass: password } });
      const address = redis.url.replace('//', `//:${encodeURIComponent(password)}@`);
      await using world = await openSharedWorld(
        address,
        { people: undefined, job: { limits: { maxWait: '2s', attempts: 2 } } },
        ({ path, headers }) => {
          const number = numberAsked(path);
          if (number % 3 > 0) return undefined;
          const echo = seed.pick([key, `Bearer ${key}`, String(headers.authorization)]);
          if (number % 2 === 0) return { status: 500, body: `{"error":{"message":"${echo}"}}` };
          return found({ ...companyOf(number), name: echo, odd: { told: echo } });
        },
      );
      const format = seed.pick(['text', 'json']);
      const args = ['--log-level', 'debug', '--log-format', format];
      const ends = await world.runAll({ env, args });
      for (const ended of ends) expectToEnd(ended, 3);
      const bytes = await redisBytes(address);
      expect(Object.keys(bytes).length).toBeGreaterThan(10);
      expect(findIn(key, bytes)).toEqual([]);
      expect(findIn(password, bytes)).toEqual([]);

      const [first] = world.machines;
      // Failed calls are made again, and Redis ends under them.
      const cut = first.start({ env, args });
      await world.untilAsked(world.asked().length + 1);
      await redis.kill();
      const lost = await cut.ended;
      expect(lost.by, lost.stderr).toBe(69);
      expect(lost.stderr).toContain('SHARE_DOWN');
      ends.push(lost, await first.run({ env, args }));
      for (const machine of world.machines) {
        expect(await findSecret(key, machine, ends)).toEqual([]);
        expect(await findSecret(password, machine, ends)).toEqual([]);
      }
    },
    { long: 5, where: testWithRedis },
  );
});
