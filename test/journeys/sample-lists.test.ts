import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { manifestIn } from '../support/manifest-in.ts';
import { type Finished, runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');

interface Expected {
  readonly row: number;
  readonly recipe: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly companyId?: string;
}

function readLines<Line>(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Compares each row with the outcome that the recipe of the list promises. */
function expectAsPromised(output: string, promises: string): void {
  const expected = readLines<Expected>(join(root, 'fixtures/leads', promises));
  const records = readLines<Record<string, unknown>>(join(output, 'companies.jsonl'));
  expect(records).toHaveLength(expected.length);
  const found = records.map(({ row_number: row, status, reason, company_id }, index) => {
    const { recipe = '', reason: promised } = expected[index] ?? {};
    return { row, recipe, outcome: status, reason: promised && reason, companyId: company_id };
  });
  expect(found).toEqual(
    expected.map((line) => ({ ...line, reason: line.reason, companyId: line.companyId ?? null })),
  );
}

function expectWhole(folder: string, finished: Finished): void {
  expect(finished.exitCode, finished.stderr).toBe(0);
  const manifest = manifestIn(folder);
  const rows = Object.fromEntries(manifest.files.map(({ name, rows }) => [name, rows]));
  for (const { format } of manifest.files) {
    expect(rows[`companies.${format}`]).toBe(manifest.rows.total);
    expect(rows[`rejects.${format}`]).toBe(manifest.rows.total - manifest.rows.matched);
  }
}

test('the demonstration ends as its list promises', async () => {
  using folder = temporaryFolder();
  const job = join(root, 'jobs/demo.yaml');
  const flags = ['--output', folder.path, '--ledger', join(folder.path, 'l.db'), '--json'];
  expectWhole(folder.path, await runDossier(['run', job, ...flags]));
  expectAsPromised(folder.path, 'expected.jsonl');
});

test('the list of JSON lines ends as it promises', async () => {
  using folder = temporaryFolder();
  const job = {
    name: 'crm',
    service: { url: 'embedded' },
    input: { path: join(root, 'fixtures/leads/leads.jsonl') },
    identify: [
      { column: 'company_id', as: 'id' },
      { column: 'abn', as: 'abn' },
      { column: 'domain', as: 'fqdn' },
      { column: 'network', as: 'ln_url' },
      { column: 'email', as: 'fqdn' },
    ],
    country: { column: 'country', default: 'AU' },
    limits: { rate: 'none' },
    output: { path: 'output', format: ['jsonl'] },
    ledger: 'ledger.db',
  };
  const path = join(folder.path, 'job.yaml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(job));
  const output = join(folder.path, 'output');
  expectWhole(output, await runDossier(['run', path]));
  expectAsPromised(output, 'expected-jsonl.jsonl');
});
