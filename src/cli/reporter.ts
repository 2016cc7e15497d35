import { join, relative } from 'node:path';
import type { ReportData } from '../report/report-data.ts';
import { summariseRun } from '../report/summarise-run.ts';
import { reportName, writeReport } from '../report/write-report.ts';
import type { MakeReport } from '../run/run-job.ts';

export interface Reporter {
  readonly makeReport: MakeReport;
  /** What to tell about the report, as a line; nothing where none was made. */
  note(): string;
}

/** Writes report.html with the other files, and lets a live view have the same facts. */
export function openReporter(onData: (data: ReportData) => void = () => {}): Reporter {
  let told = '';
  return {
    async makeReport({ reference, folder, ...facts }) {
      const data = summariseRun({ ...facts, names: reference, seenAt: Date.now() });
      onData(data);
      const trouble = await writeReport(folder, data);
      told = trouble ?? `Report: ${relative(process.cwd(), join(folder, reportName))}`;
    },
    note: () => (told === '' ? '' : `${told}\n`),
  };
}
