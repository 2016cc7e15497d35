import { basename, join } from 'node:path';
import type { ReferenceNames } from '../contract/reference.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Run } from '../ledger/runs/runs.ts';
import type { ManifestFacts } from '../sinks/manifest.ts';
import { openTextOutput, type ReportOutput } from '../sinks/sink.ts';
import type { RunTally } from '../sinks/tally/run-tally.ts';
import { readPage, renderReport } from './render-report.ts';
import { type RunToReport, summariseRun } from './summarise-run.ts';

export interface Reporter {
  /** The output that makes report.html of a run. */
  openReport(reported: ReportedRun): ReportOutput;
  /** Where the report is; undefined before it is there, and where none could be made. */
  path(): string | undefined;
  /** Why none could be made, as a line; empty otherwise. */
  trouble(): string;
}

export interface ReportedRun {
  readonly folder: string;
  /** False for a copy that goes to another place, which nobody is told of. */
  readonly isShown?: boolean;
  readonly ledger: Ledger;
  readonly run: Run;
  readonly facts: ManifestFacts;
  readonly names: ReferenceNames;
  readonly planColumns?: RunToReport['planColumns'];
  /** Why the run has not finished, where that is known. */
  readonly stopped?: string | undefined;
}

const reportName = 'report.html';

/** Writes report.html beside the other files. */
export function openReporter(
  /** Puts the job as people would type it into a text. */
  nameJob = (text: string) => text,
  pagePath?: string,
): Reporter {
  let path: string | undefined;
  let trouble = '';
  return {
    openReport({ folder, isShown = true, ...reported }) {
      const run = { ...reported, isAside: /^held-r\d+$/.test(basename(folder)), nameJob };
      let tally: RunTally | undefined;
      const page = openTextOutput(join(folder, reportName), (written) => {
        if (!tally) throw new Error('a report was given no tally');
        const data = summariseRun({ ...run, ...written, tally, seenAt: Date.now() });
        const empty = readPage(pagePath);
        if (empty !== undefined) return renderReport(empty, data);
        trouble = `No ${reportName}: its page is not built. Run \`npm run build:page\`, then \`dossier export\`.\n`;
        return undefined;
      });
      return {
        ...page,
        show(counted) {
          tally = counted;
        },
        async commit() {
          await page.commit();
          if (trouble === '' && isShown) path = join(folder, reportName);
        },
      };
    },
    path: () => path,
    trouble: () => trouble,
  };
}
