import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { hasBrowser, openPage, seriousViolations } from '../support/browser.ts';
import { isOnPath, testIf } from '../support/needs.ts';
import { accessDenied, startObjectStore, type TestObjectStore } from '../support/object-store.ts';
import { type OpenUi, openUiHere } from '../support/open-ui.ts';
import { emptyDatabase, programs, type RunningPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isPossible = hasBrowser && programs.every(isOnPath);
const needed = ['chromium-headless-shell', ...programs].join(', ');
const testWithPlaces = (name: string, work: () => Promise<void>) =>
  testIf(isPossible, `${needed} are not all on PATH`)(name, { timeout: 120_000 }, work);

const list =
  'crm_id,website\n1,hollinmere-college-sample.com.au\n2,nowhere-to-be-found.com.au\n3,not a domain\n';
const job = `name: leads
service: {url: embedded}
input: {path: leads.csv, key: crm_id}
output:
  - path: out
  - path: s3://\${BUCKET}/enriched
    format: [jsonl]
  - postgres: \${WAREHOUSE_URL}
    schema: enrichment
`;

const folder = temporaryFolder();
let store: TestObjectStore;
let postgres: RunningPostgres;
let ui: OpenUi;
beforeAll(async () => {
  if (!isPossible) return;
  store = await startObjectStore();
  postgres = await emptyDatabase();
  writeFileSync(join(folder.path, 'leads.csv'), list);
  writeFileSync(join(folder.path, 'leads.yaml'), job);
  ui = await openUiHere(folder.path, {
    ...store.env,
    BUCKET: store.bucket,
    DOSSIER_URL: 'embedded',
    WAREHOUSE_URL: postgres.url,
  });
});
afterAll(async () => {
  await ui?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

testWithPlaces('a result goes elsewhere, and is written again where it could not be', async () => {
  store.misbehave = () => accessDenied;
  await using opened = await openPage(`${ui.url}#/read/leads.yaml`);
  const { page, complaints } = opened;
  await page.getByRole('button', { name: 'Run · 2 calls' }).click();
  await page.getByRole('heading', { name: '3 rows done · 1 found (33.3%)' }).waitFor();
  const problem = page.getByRole('alert');
  await problem
    .getByText(/^The result is in the ledger, but not at every destination: s3:/)
    .waitFor();
  // The page says what to press there, and no command.
  await problem.getByText('“Write the result again” costs nothing').waitFor();
  const places = page.locator('.outputs');
  await places.getByText('3 files in').click();
  // The bucket refused the result, so it is not among those that have it.
  expect(await places.getByText('also written to').allInnerTexts()).toHaveLength(1);
  await places.getByText(`s3://${store.bucket}/enriched`).first().waitFor();
  await places.getByRole('strong').first().waitFor();
  await places.getByText(', schema enrichment').waitFor();
  expect(await places.innerText()).not.toContain('postgres@');
  expect(await seriousViolations(page)).toEqual([]);

  // The report opens at an address without the secret path, from which nothing else is reached.
  const [report] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open the report' }).click(),
  ]);
  await report.getByRole('heading', { name: '3 rows done · 1 found (33.3%)' }).waitFor();
  await report.locator('#rows tbody tr', { hasText: 'nowhere' }).first().waitFor();
  const secret = new URL(ui.url).pathname;
  expect(report.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/report\//);
  expect(report.url()).not.toContain(secret);
  expect(await report.evaluate('[origin, document.referrer, opener]')).toEqual(['null', '', null]);
  const link = report.getByRole('link', { name: 'companies.csv' });
  const [file] = await Promise.all([report.waitForEvent('download'), link.click()]);
  expect(readFileSync(await file.path(), 'utf8')).toContain('hollinmere');
  expect((await fetch(new URL('manifest.json', report.url()))).status).toBe(422);
  const policy = (await fetch(report.url())).headers.get('content-security-policy');
  expect(policy).toMatch(/^sandbox allow-scripts allow-downloads; frame-ancestors 'none'$/);
  await report.close();

  // It tells the same when it fails again.
  await page.getByRole('button', { name: 'Write the result again' }).click();
  await page.getByRole('heading', { name: 'Writing the files' }).waitFor();
  await problem.getByText(`s3://${store.bucket}/enriched`).waitFor();

  store.misbehave = () => undefined;
  await page.getByRole('button', { name: 'Write the result again' }).click();
  await page.getByRole('heading', { name: 'Writing the files' }).waitFor();
  await page.getByRole('heading', { name: '3 rows done · 1 found (33.3%)' }).waitFor();
  await problem.waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Write the result again' }).count()).toBe(0);
  const puts = store.requests.filter(({ method }) => method === 'PUT').map(({ key }) => key);
  expect(puts.join()).toContain('enriched/companies');
  expect(await postgres.sql('select count(*) from enrichment.companies')).toEqual(['3']);
  expect(complaints).toEqual([]);
});
