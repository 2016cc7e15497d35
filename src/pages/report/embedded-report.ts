import type { ReportData } from '../../report/data/report-data.ts';

export interface EmbeddedReport {
  readonly data: ReportData | null;
  /** Whether a run or `dossier watch` serves the page and sends live updates to it. */
  readonly isLive: boolean;
}

/** Reads the report data that the page carries in a script element. */
export function readEmbeddedReport(page: Document): EmbeddedReport {
  const element = page.querySelector('#report-data');
  const data = JSON.parse(element?.textContent ?? 'null') as ReportData | null;
  return { data, isLive: element?.hasAttribute('data-live') ?? false };
}
