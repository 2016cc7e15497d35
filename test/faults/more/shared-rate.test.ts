import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf, numberAsked } from '../../journeys/sample-companies.ts';
import { faultCase } from '../support/fault-case.ts';
import { createLimitingService, type LimitingService } from '../support/limiting-service.ts';
import { isLong } from '../support/seed.ts';
import { watchLoop } from '../support/sliding-second.ts';
import { expectToEnd } from '../support/trouble.ts';
import { openWorld, type World } from '../support/world.ts';

const processes = 3;

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
async function runTogether(limit: number, rows: number): Promise<LimitingService> {
  using watch = watchLoop();
  const service = createLimitingService(limit, watch);
  const parts = Array.from({ length: processes }, () => 0);
  const { promise: allHere, resolve: open } = Promise.withResolvers<void>();
  await using world = await openWorld({ people: undefined }, async ({ path, atMs }) => {
    const part = Math.floor(numberAsked(path) / rows);
    parts[part] = (parts[part] ?? 0) + 1;
    const isRefused = service.refuses(atMs);
    if (parts.every((requests) => requests > 0)) open();
    await allHere;
    return isRefused ? { status: 429, body: '{}' } : undefined;
  });
  const runs = writeParts(world, rows, limit).map((job) => world.start({ command: ['run', job] }));
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  for (const ended of ends) expectToEnd(ended);
  return service;
}

describe('three processes on one ledger, against a service that takes R in every sliding second', () => {
  faultCase(
    'are refused no request, where R is the rate of their jobs',
    async (seed) => {
      const limit = isLong ? seed.pick([20, 50, 100]) : 20;
      const rows = limit * (isLong ? 4 : 2);
      const { refused, taken } = await runTogether(limit, rows);
      expect(refused).toEqual([]);
      expect(taken).toHaveLength(processes * rows);
    },
    { long: 4 },
  );
});
