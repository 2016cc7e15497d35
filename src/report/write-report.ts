import { join } from 'node:path';
import { writeFileAtomically } from '../runtime/atomic-file.ts';
import { readPage, renderReport } from './render-report.ts';
import type { ReportData } from './report-data.ts';

export const reportName = 'report.html';

/** Writes report.html beside the other outputs. Says why not, where the page was never built. */
export async function writeReport(
  folder: string,
  data: ReportData,
  pagePath?: string,
): Promise<string | undefined> {
  const page = readPage(pagePath);
  if (page === undefined) {
    return `No ${reportName}: its page is not built. Run \`npm run build:page\`, then \`dossier export\`.`;
  }
  await writeFileAtomically(join(folder, reportName), renderReport(page, data));
  return undefined;
}
