import type { ReportData } from '../report-data.ts';

export interface Embedded {
  readonly data: ReportData | null;
  /** Served by a run or by `dossier watch`, which send news. */
  readonly isLive: boolean;
}

/** The facts that travel inside the page. */
export function readEmbedded(page: Document): Embedded {
  const element = page.querySelector('#report-data');
  const data = JSON.parse(element?.textContent ?? 'null') as ReportData | null;
  return { data, isLive: element?.hasAttribute('data-live') ?? false };
}
