import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataPlace } from '../../src/report/render-report.ts';
import type { ReportData } from '../../src/report/report-data.ts';
import { writeReport } from '../../src/report/write-report.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const data = { version: '1' } as ReportData;

test('a page that was never built is told with what to do, and nothing fails', async () => {
  using folder = temporaryFolder();
  const trouble = await writeReport(folder.path, data, join(folder.path, 'absent.html'));
  expect(trouble).toContain('npm run build:page');
  expect(existsSync(join(folder.path, 'report.html'))).toBe(false);
});

test('the report is one file beside the others', async () => {
  using folder = temporaryFolder();
  const page = join(folder.path, 'page.html');
  writeFileSync(page, `<html>${dataPlace}</html>`);
  expect(await writeReport(folder.path, data, page)).toBeUndefined();
  expect(readFileSync(join(folder.path, 'report.html'), 'utf8')).toContain('{"version":"1"}');
});
