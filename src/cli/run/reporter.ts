import { join } from 'node:path';
import type { ReportData } from '../../report/report-data.ts';
import { summariseRun } from '../../report/summarise-run.ts';
import { reportName, writeReport } from '../../report/write-report.ts';
import type { MakeReport } from '../../run/run-job.ts';

export interface Reporter {
  readonly makeReport: MakeReport;
  /** Where the report is; undefined before, and where none could be made. */
  path(): string | undefined;
  /** Why none could be made, as a line; nothing otherwise. */
  trouble(): string;
}

/** Writes report.html with the other files, and lets a live view have the same facts. */
export function openReporter(onData: (data: ReportData) => void = () => {}): Reporter {
  let path: string | undefined;
  let trouble: string | undefined;
  return {
    async makeReport({ reference, folder, ...facts }) {
      const data = summariseRun({ ...facts, names: reference, seenAt: Date.now() });
      onData(data);
      trouble = await writeReport(folder, data);
      path = trouble === undefined ? join(folder, reportName) : undefined;
    },
    path: () => path,
    trouble: () => (trouble === undefined ? '' : `${trouble}\n`),
  };
}
