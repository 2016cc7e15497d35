import { join } from 'node:path';
import { expect, test } from 'vitest';
import { summaryText } from '../../../src/cli/run/run-texts.ts';
import { pageFor } from '../../../src/cli/terminal/text.ts';
import { noCounts } from '../../../src/core/rules/outcomes.ts';
import { noChanges } from '../../../src/results/compare-runs.ts';
import type { ManifestFile } from '../../../src/results/manifest.ts';
import type { RunExport } from '../../../src/run/export/export-run.ts';
import type { RunEnd } from '../../../src/run/run-schemas.ts';
import { sampleEnd, sampleFacts } from '../../support/sample-run.ts';
import { terminal } from '../../support/terminal.ts';

const written = {
  folder: join(process.cwd(), 'output/a-rather-long-name-of-a-job/2026-11-15'),
  unchanged: [],
  changes: noChanges(),
  files: [
    { name: 'companies.csv', rows: 12_000 },
    { name: 'people.csv', rows: 1 },
  ],
};
const rows = {
  ...sampleFacts.rows,
  total: 12_000,
  matched: 8_000,
  not_found: 2_000,
  invalid: 1_990,
  failed: 10,
};
const exported = {
  ...written,
  destinations: [{ kind: 'folder', address: written.folder, summary: written }],
  rows,
  damagedAnswers: new Set(),
} as unknown as RunExport;
const ended: RunEnd = {
  ...sampleEnd,
  job: 'leads',
  seconds: 61,
  rows,
  calls: {
    ...sampleFacts.calls,
    made: 310,
    reused: 12_345,
    joined: 21,
    shared: 1_686,
    saved: 14_052,
  },
  people: 1_234_567,
  failedSearches: 1,
  incompleteSearches: 12_345,
  changes: { ...noChanges(), since: 'r29', company_found: 1, person_left: 1_200 },
  requests: 310,
  wholeRun: {
    made: 310,
    requests: 310,
    money: [{ currency: 'AUD', amount: 37.2 }],
    missMoney: [],
    possibleMoney: [],
    unpriced: 0,
  },
};
const textOf = (
  changed: Partial<RunEnd> = {},
  given: Parameters<typeof summaryText>[2] = { job: 'leads.yaml' },
  columns = 200,
  files: Partial<RunExport> = {},
) =>
  `${summaryText(
    { ...ended, ...changed },
    {
      run: { hasPeople: true },
      exported: { ...exported, ...files } as RunExport,
      counts: { ...noCounts(), rows },
    },
    given,
    pageFor(terminal(columns)),
  ).join('\n')}\n`;

test.each([40, 60, 80, 200])('the summary fits %i columns without a word broken', (columns) => {
  const lines = textOf({}, { job: 'leads.yaml' }, columns).split('\n');
  // Paths are not wrapped, so that they can be copied.
  for (const line of lines.filter((some) => !some.includes('.csv'))) {
    expect(line.length).toBeLessThan(columns);
  }
});

test('a held result first says what was expected, and how to publish it', () => {
  const message = 'matchRate: 12% (120 of 1,000 rows), 48 points below the expected >= 60%';
  const held = [
    { expectation: 'matchRate', expected: '>= 60%', found: '12%', message },
  ] satisfies RunEnd['held'];
  const given = { job: 'my leads.yaml', output: 'out', ledger: 'l.db' };
  const text = textOf({ held }, given);
  expect(text.split('\n')[1]).toContain(`HELD: ${message}`);
  expect(text).toContain("  dossier export 'my leads.yaml' --accept --output out --ledger l.db\n");
  expect(text).not.toContain('Fix them');
});

test('calls that failed are shown beside those that were answered', () => {
  const calls = { ...ended.calls, made: 0, failed: 4 } as RunEnd['calls'];
  expect(textOf({ calls })).toContain('calls made    0; 4 failed');
});

test('a resumed run shows calls and money of this start and of the whole run', () => {
  const calls = { ...ended.calls, made: 10 } as RunEnd['calls'];
  const text = textOf({ calls, resumed: true });
  expect(text).toContain('spent         AUD 1.20; in the whole run AUD 37.20\n');
  expect(text).toContain('calls made    10; in the whole run 310\n');
  expect(text).toContain(
    'calls saved   14,052: 1,686 with the same identifier, 12,366 already answered, 21 of them by another identifier',
  );
  expect(text).toMatch(/^leads: 12,000 rows done in 1m 1s, pauses included\n/);
});

test('a --limit run says so, and does not suggest fixing rows', () => {
  const files = [{ name: 'rejects.csv', rows: 2 }] as unknown as ManifestFile[];
  const text = (limit: number | null) =>
    textOf({ limit }, { job: 'leads.csv' }, 200, { files }).replaceAll(/\s+/g, ' ');
  const [whole, tried] = [null, 5];
  expect(text(whole)).toContain('Correct them in that file, then run: dossier fix leads.csv ');
  expect(text(whole)).not.toContain('--limit');
  expect(text(tried)).not.toContain('Fix them');
  expect(text(tried)).toContain('To run the whole list: dossier run leads.csv');
});
