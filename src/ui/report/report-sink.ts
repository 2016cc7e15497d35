import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { identifyRow, type RowPlan } from '../../core/identify/identify-row.ts';
import { formatSpent } from '../../core/runtime/budget/money.ts';
import { packagePath } from '../../core/runtime/package-path.ts';
import type { WrittenFacts } from '../../results/manifest.ts';
import { clipText } from '../../results/tally/row-sample.ts';
import type { RunTally } from '../../results/tally/run-tally.ts';
import type { OpenReport } from '../../run/write-outputs.ts';
import {
  chooseRows,
  type ExampleOf,
  findAttention,
  gatherInsight,
  type ReportData,
} from './report-data.ts';
import { readReportRows } from './report-rows.ts';

type ReportedRun = Parameters<OpenReport>[0];

const reportName = 'report.html';

/** Writes report.html beside the other files. */
export function openReporter(
  /** Puts the job as people would type it into a text. */
  nameJob = (text: string) => text,
  pagePath?: string,
) {
  let path: string | undefined;
  let trouble = '';
  const openReport: OpenReport = (reported) => (written, tally) => {
    const empty = readPage(pagePath);
    if (empty === undefined) {
      trouble = `No ${reportName}: its page is not built. Run \`npm run build:page\`, then \`dossier export\`.\n`;
      return undefined;
    }
    const { folder, isShown = true } = reported;
    if (isShown) path = join(folder, reportName);
    return renderReport(empty, reportOf(reported, written, tally, nameJob));
  };
  return {
    openReport,
    /** Where the report is; undefined where none could be made. */
    path: () => path,
    /** Why none could be made, as a line; empty otherwise. */
    trouble: () => trouble,
  };
}

export type Reporter = ReturnType<typeof openReporter>;

/** The whole report of a run, from its facts and from what was tallied while it was exported. */
function reportOf(
  reported: ReportedRun,
  written: WrittenFacts,
  tally: RunTally,
  nameJob: (text: string) => string,
): ReportData {
  const { ledger, run, facts, folder } = reported;
  const insight = gatherInsight(tally, written, run.hasPeople, exampleIn(reported));
  const possiblyCharged = ledger.calls.doubtful(run.id).length;
  const attention = findAttention({ ...facts, ...written }, insight, possiblyCharged);
  return {
    ...facts,
    ...written,
    hasPeople: run.hasPeople,
    paid: formatSpent(facts),
    why: facts.complete ? '' : whyStopped(reported),
    isAside: /^held-r\d+$/.test(basename(folder)),
    attention: attention.map((one) => ({ ...one, advice: nameJob(one.advice) })),
    insight,
    table: readReportRows(ledger, run, chooseRows(tally.sample)),
  };
}

/** In words of the error, or by its code where the files are written later; empty where nobody knows. */
function whyStopped({ ledger, run, stopped }: ReportedRun): string {
  if (stopped !== undefined) return stopped;
  return ledger.starts.list(run.job, 1).find(({ runId }) => runId === run.id)?.reason ?? '';
}

/** Rows that show what the columns are. */
const sampleRows = 200;
const longestCell = 80;
const longestInput = 160;
/** Enough to know the row again. */
const cellsShown = 6;

/** Reads the examples of reasons. The ledger does not keep which cell was rejected, so they are identified once more. */
function exampleIn({ ledger, run, planColumns }: ReportedRun): ExampleOf {
  const recordsAt = (numbers: readonly number[]) =>
    ledger.records.at(run, numbers).map(({ record }) => ({
      ...record,
      cells: record.cells.map((cell) => cell ?? undefined),
    }));
  let plan: RowPlan | undefined;
  const rejectedCell = (cells: readonly (string | undefined)[], reason: string) => {
    try {
      const numbers = Array.from({ length: sampleRows }, (_, at) => at + 1);
      plan ??= planColumns?.(recordsAt(numbers).map((record) => record.cells));
    } catch {
      return undefined;
    }
    if (!plan) return undefined;
    const { rejects, country } = identifyRow(cells, plan);
    const column = country
      ? rejects.find(({ reject }) => reject === reason)?.column
      : plan.country.index;
    if (column === undefined) return undefined;
    return `${run.columns[column]}: ${clipText(cells[column] || 'blank', longestCell)}`;
  };
  return (number, reason) => {
    const [record] = recordsAt([number]);
    if (!record) return undefined;
    const filled = record.cells.flatMap((cell) => cell?.trim() || []);
    return {
      row: number,
      input: clipText(filled.slice(0, cellsShown).join(' · '), longestInput),
      cell: record.identifier
        ? clipText(record.identifier, longestInput)
        : rejectedCell(record.cells, reason),
      message: record.message && clipText(record.message, longestInput),
    };
  };
}

/** Where the built page expects its data; scripts/build-page.ts sees to it that it is there once. */
export const dataPlace = '<script type="application/json" id="report-data">null</script>';

/** The page without data; undefined where it was not built. */
export function readPage(path = packagePath('dist/page/report.html')): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The page with its data in it: one file that needs nothing else. */
export function renderReport(page: string, data: ReportData): string {
  const [before, after, ...more] = page.split(dataPlace);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('the page has not exactly one place for its data');
  }
  return `${before}${dataPlace.replace('null', () => embedJson(data))}${after}`;
}

/**
 * JSON that is safe inside a script element: without `<` there is no end tag and no comment in it,
 * and the two line separators that JavaScript once did not take are escaped as well.
 */
export function embedJson(data: unknown): string {
  return JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
