import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReportData } from '../../src/ui/report/report-data.ts';
import { dataElement, openReporter } from '../../src/ui/report/report-sink.ts';

/** Writes reports that hold nothing but their data. */
export function openPlainReporter(folder: string) {
  const page = join(folder, 'page.html');
  writeFileSync(page, dataElement);
  return openReporter(undefined, page);
}

/** The data of a written report. */
export function readReport(folder: string): ReportData {
  const [, json = ''] =
    /id="report-data">(.*?)<\/script>/s.exec(readFileSync(join(folder, 'report.html'), 'utf8')) ??
    [];
  return JSON.parse(json) as ReportData;
}
