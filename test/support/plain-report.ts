import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportData } from '../../src/ui/report/report-data.ts';
import { createReporter, dataElement } from '../../src/ui/report/report-sink.ts';

/** Writes reports that hold nothing but their data. */
export function createPlainReporter(folder: string) {
  const page = join(folder, 'page.html');
  writeFileSync(page, dataElement);
  return createReporter(undefined, page);
}

/** The data of a written report. */
export function readReport(folder: string): ReportData {
  const [, json = ''] =
    /id="report-data">(.*?)<\/script>/s.exec(readFileSync(join(folder, 'report.html'), 'utf8')) ??
    [];
  return JSON.parse(json) as ReportData;
}
