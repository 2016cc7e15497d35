import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createLargeBodies,
  smallBodyBytes,
} from '../../../../src/engine/client/wire/large-bodies.ts';

const large = () => Buffer.alloc(smallBodyBytes + 1);

test('however bodies come, all of them end, and no more are large at once than allowed', async () => {
  const body = fc.record({ isKept: fc.boolean(), staysLarge: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 20 }), fc.scheduler(), async (all, s) => {
      const bodies = createLargeBodies(2);
      let now = 0;
      let most = 0;
      const receive = async ({ isKept, staysLarge }: (typeof all)[number]) => {
        const share = { isLarge: false };
        await s.schedule(Promise.resolve());
        const { promise, resolve } = Promise.withResolvers<void>();
        if (!bodies.mayGrow(share, resolve)) await promise;
        now += 1;
        most = Math.max(most, now);
        await s.schedule(Promise.resolve());
        const kept = staysLarge ? large() : Buffer.alloc(1);
        if (isKept && staysLarge) {
          bodies.end(share, kept);
          await s.schedule(Promise.resolve());
        }
        now -= 1;
        if (isKept && staysLarge) bodies.release(kept);
        else bodies.end(share, isKept ? kept : undefined);
        bodies.release(kept);
      };
      await s.waitFor(Promise.all(all.map(receive)));
      expect(most).toBeLessThanOrEqual(2);
      expect(bodies.mayGrow({ isLarge: false }, () => {})).toBe(true);
    }),
  );
});
