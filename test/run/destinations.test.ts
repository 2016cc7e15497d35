import { expect, test, vi } from 'vitest';
import type { Run } from '../../src/engine/ledger/runs/runs.ts';
import { postgresAddress, secretAddress } from '../../src/job/read-address.ts';
import { otherDestinations } from '../../src/run/destinations.ts';
import { testJob } from '../support/test-job.ts';

const run = { id: 7, job: 'leads', kind: 'whole', lastStartedAt: Date.UTC(2026, 7, 22) } as Run;

test('other destinations are shown without their credentials', () => {
  const { output } = testJob();
  const variable = `\${WAREHOUSE_URL}`;
  const address = secretAddress(variable, 'output.postgres', postgresAddress);
  const job = testJob({
    otherDestinations: [
      { kind: 'folder', ...output, path: '/data/{run}' },
      { kind: 's3', ...output, path: 's3://bucket/{job}/{date}' },
      { kind: 'postgres', address, schema: 'enrichment' },
    ],
  });
  const otherAddresses = (of: typeof job) => otherDestinations(of, run).map((one) => one.address);
  const files = ['/data/r7', 's3://bucket/leads/2026-08-22'];
  expect(otherAddresses(job)).toEqual([...files, `\${WAREHOUSE_URL}, schema enrichment`]);
  vi.stubEnv('WAREHOUSE_URL', 'postgres://loader:hunter22@db.example/warehouse');
  const database = 'postgres://db.example:5432/warehouse, schema enrichment';
  expect(otherAddresses(job)).toEqual([...files, database]);
  expect(otherAddresses(testJob())).toEqual([]);
});
