import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf, numberAsked } from '../journeys/sample-companies.ts';
import { faultCase } from './support/fault-case.ts';
import { openLimitingService, usedShare } from './support/limiting-service.ts';
import { isLong } from './support/seed.ts';
import { watchLoop } from './support/sliding-second.ts';
import { expectToEnd } from './support/trouble.ts';
import { openWorld, type World } from './support/world.ts';

const processes = 3;
/** In its first second a process compiles what it runs. */
const warmUpMs = 1_000;

/** A list and a job for each process, all on one ledger; no two ask for the same company. */
function writeParts({ folder }: World, rows: number, rate: number): string[] {
  return Array.from({ length: processes }, (_, part) => {
    const domains = Array.from({ length: rows }, (_, row) => domainOf(part * rows + row));
    writeFileSync(join(folder, `part${part}.csv`), ['website', ...domains, ''].join('\n'));
    const job = {
      name: `part${part}`,
      input: { path: `part${part}.csv` },
      identify: [{ column: 'website' }],
      output: { path: `output${part}` },
      ledger: 'ledger.db',
      limits: { rate, concurrency: 20 },
    };
    writeFileSync(join(folder, `part${part}.yaml`), JSON.stringify(job));
    return `part${part}.yaml`;
  });
}

/**
 * Runs three processes on one ledger against a service that takes `limit` requests in every sliding
 * second. It answers none before all three have asked, so that they run at the same time.
 */
async function runTogether({ limit, rate, rows }: { limit: number; rate: number; rows: number }) {
  using watch = watchLoop();
  const service = openLimitingService(limit, watch);
  const parts = Array.from({ length: processes }, () => [] as number[]);
  const { promise: allHere, resolve: open } = Promise.withResolvers<void>();
  let openedAtMs = 0;
  await using world = await openWorld({ people: undefined }, async ({ path, atMs }) => {
    parts[Math.floor(numberAsked(path) / rows)]?.push(atMs);
    const isRefused = service.refuses(atMs);
    if (openedAtMs === 0 && parts.every((times) => times.length > 0)) {
      openedAtMs = performance.now();
      open();
    }
    await allHere;
    return isRefused ? { status: 429, body: '{}' } : undefined;
  });
  const runs = writeParts(world, rows, rate).map((job) => world.start({ command: ['run', job] }));
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  for (const ended of ends) expectToEnd(ended);
  const toMs = Math.min(...parts.map((times) => times.at(-1) ?? 0));
  const share = (fromMs: number) => usedShare(service.taken, { limit, fromMs, toMs, watch });
  return { service, openedAtMs, toMs, share, texts: ends.map(({ stderr }) => stderr) };
}

describe('three processes on one ledger, against a service that takes R in every sliding second', () => {
  faultCase(
    'use nearly all of R, and none is refused, where R is the rate of their jobs',
    async (seed) => {
      const limit = isLong ? seed.pick([20, 50, 100]) : 20;
      const rows = limit * (isLong ? 4 : 2);
      const { service, openedAtMs, share } = await runTogether({ limit, rate: limit, rows });
      expect(service.refused).toEqual([]);
      expect(service.taken).toHaveLength(processes * rows);
      // Beside other tests a rate is not used well.
      if (isLong) expect(share(openedAtMs + warmUpMs)).toBeGreaterThanOrEqual(0.95);
    },
    { long: 4 },
  );

  faultCase(
    'come to use most of R, hardly refused, where the rate of their jobs is twice R',
    async (seed) => {
      const limit = seed.pick([20, 50, 100]);
      const rows = limit * 8;
      const found = await runTogether({ limit, rate: 2 * limit, rows });
      const { service, openedAtMs, toMs, share, texts } = found;
      // The first throttles show where R is.
      const fromMs = openedAtMs + (toMs - openedAtMs) / 2;
      const refused = service.refused.filter((at) => at >= fromMs).length;
      const taken = service.taken.filter((at) => at >= fromMs).length;
      expect(refused / (taken + refused)).toBeLessThan(0.03);
      expect(share(fromMs)).toBeGreaterThanOrEqual(0.7);
      expect(service.taken).toHaveLength(processes * rows);
      for (const text of texts) expect(text).toContain('rate.lowered');
    },
    { short: 0, long: 4 },
  );
});
