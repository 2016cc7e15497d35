import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { openClient } from '../../src/engine/client/open-client.ts';
import type { AdapterDefinition } from '../../src/engine/providers/adapter/definition.ts';
import { adapterId, providerOf } from '../../src/engine/providers/providers.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import type { RunParts } from '../../src/run/run-parts.ts';
import { type HostileServer, openHostileServer } from '../support/hostile-server.ts';
import { plainParts } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver } from '../support/test-job.ts';

const definition: AdapterDefinition = {
  name: 'second',
  url: 'https://api.second.example',
  auth: { query: 'api_key' },
  headers: {},
  company: { fqdn: { method: 'GET', path: '/find', query: { domain: '{value}' } } },
  answers: {},
  charged: 'answers',
  record: 'data.0',
  fields: { id: { paths: ['id'] }, name: { paths: ['name'] }, fqdn: { paths: ['domain'] } },
};

const key = 'k_secret_of_second';

function openService() {
  return openHostileServer(({ path }) => {
    const domain = new URL(path, 'http://localhost').searchParams.get('domain') ?? '';
    const company = { id: `c_${domain}`, name: 'Acme', motto: 'On!', domain };
    const body = { data: domain.startsWith('no') ? [] : [company], echo: key };
    return { body: JSON.stringify(body) };
  });
}

async function runWith(
  job: ResolvedJob,
  { url, seen }: HostileServer,
  changes: Partial<AdapterDefinition>,
) {
  const adapter = { ...definition, ...changes };
  const [first] = job.services;
  const service = { ...first, provider: adapterId(adapter), adapter, url };
  const provider = providerOf(service);
  const notes: string[] = [];
  const parts: RunParts = {
    ...plainParts,
    observer: {
      ...plainParts.observer,
      onStart: (_run, _isResumed, _counts, about) => void notes.push(...about.notes),
    },
    openClient: async (facts) =>
      openClient({ ...job.limits, ...facts, provider, baseUrl: url, key }),
  };
  const before = seen.length;
  const summary = await runJob({ ...job, services: [service] }, parts);
  const folder = summary.exported.folder ?? '';
  const read = (table: string): Record<string, string>[] =>
    parse(readFileSync(join(folder, `${table}.csv`), 'utf8'), { columns: true });
  return { ...summary, read, notes, requests: seen.length - before };
}

test('answers that an adapter cannot read are failures, kept, and read again for free', async () => {
  using folder = temporaryFolder();
  await using service = await openService();
  const job = jobOver(folder.path, ['acme.com.au', 'no.com.au']);
  const wrong = { record: 'results.0' };

  const first = await runWith(job, service, wrong);
  expect(first.counts.rows).toMatchObject({ failed: 2, not_found: 0 });
  expect(first.read('rejects').map(({ reason, message }) => [reason, message])).toEqual(
    Array(2).fill([
      'unreadable',
      'the adapter second cannot read the answer: no company at results.0',
    ]),
  );
  // The same rules would read the same.
  expect(await runWith(job, service, wrong)).toMatchObject({ requests: 0 });

  const miss = [{ status: 200, where: 'data', is: 'empty' }];
  const fixed = await runWith(job, service, { answers: { miss } });
  expect(fixed).toMatchObject({ requests: 0, counts: { rows: { matched: 1, not_found: 1 } } });
  expect(fixed.notes.join()).toContain('2 of 2 stored answers now mean something else');
  expect(readFileSync(job.ledger).includes(key)).toBe(false);
});

test('other fields show in the next result, and do not make every company a changed one', async () => {
  using folder = temporaryFolder();
  await using service = await openService();
  const job = jobOver(folder.path, ['acme.com.au']);
  const first = await runWith(job, service, {});
  expect(first.read('companies')).toMatchObject([{ company_extra: '{"motto":"On!"}' }]);

  const fields = { ...definition.fields, tagline: { paths: ['motto'] } };
  const second = await runWith(job, service, { fields });
  expect(second.requests).toBe(0);
  expect(second.notes.join()).toContain('The fields of the adapter second changed');
  expect(second.read('companies')).toMatchObject([{ company_tagline: 'On!' }]);
  expect(second.read('changes')).toEqual([]);
});

test('a run stops when five answers in a row cannot be read', async () => {
  using folder = temporaryFolder();
  await using service = await openService();
  const sites = Array.from({ length: 40 }, (_, index) => `acme${index}.com.au`);
  const job = jobOver(folder.path, sites);
  await expect(runWith(job, service, { record: 'wrong' })).rejects.toMatchObject({
    code: 'ADAPTER_UNFIT',
    message: expect.stringContaining('no company at wrong'),
  });
  const paid = service.seen.length;
  expect(paid).toBeLessThan(15);
  const next = await runWith(job, service, {});
  expect(next.counts.rows.matched).toBe(40);
  expect(service.seen).toHaveLength(40);
});
