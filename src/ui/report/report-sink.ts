import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatSpent } from '../../core/values/money.ts';
import { unicodeEscape } from '../../core/values/printable.ts';
import { lookupUse } from '../../facts/lookup-use.ts';
import { packagePath } from '../../platform/package-path.ts';
import { isAside } from '../../results/destinations/places.ts';
import type { WrittenFacts } from '../../results/manifest.ts';
import { clipText } from '../../results/tally/row-sample.ts';
import type { RunTally } from '../../results/tally/run-tally.ts';
import type { CreateReport } from '../../run/export/export-run.ts';
import { spentBy } from '../../run/run-facts.ts';
import {
  chooseRows,
  type ExampleOf,
  findAttention,
  gatherInsight,
  type ReportData,
} from './report-data.ts';
import { readReportPeople, readReportRows } from './report-rows.ts';

/** The files and `dossier ui` have all rows. */
const mostRows = 200;

type ReportedRun = Parameters<CreateReport>[0];

const reportName = 'report.html';

export function createReporter(
  /** Replaces `<job>` by the job as people would type it. */
  nameJob = (text: string) => text,
  pagePath?: string,
) {
  let path: string | undefined;
  let problem = '';
  let reasons: RunTally['reasons'] = [];
  const createReport: CreateReport = (reported) => (written, tally) => {
    reasons = tally.reasons;
    const empty = readBuiltPage(pagePath);
    if (empty === undefined) {
      problem = 'report.html was not written: run `npm run build:page`, then `dossier export`.';
      return undefined;
    }
    const { folder, isShown = true } = reported;
    if (isShown) path = join(folder, reportName);
    return renderReport(empty, reportOf(reported, written, tally, nameJob));
  };
  return {
    createReport,
    path: () => path,
    reasons: () => reasons,
    /** Empty if there is a report. */
    problem: () => problem,
  };
}

export type Reporter = ReturnType<typeof createReporter>;

function reportOf(
  reported: ReportedRun,
  written: WrittenFacts,
  tally: RunTally,
  nameJob: (text: string) => string,
): ReportData {
  const { ledger, records, run, facts, folder } = reported;
  const insight = gatherInsight(tally, written, exampleIn(reported));
  const possiblyCharged = ledger.calls.possiblyCharged(run.id).length;
  const why = facts.complete ? '' : whyStopped(reported);
  const attention = findAttention({
    ...facts,
    ...written,
    ...insight,
    why,
    isAside: isAside(folder),
    possiblyCharged,
  });
  return {
    ...facts,
    ...written,
    hasPeople: run.hasPeople,
    paid: formatSpent(facts),
    // The report says this under what needs attention.
    foundNothing: false,
    paidByAll: spentBy(
      ledger,
      ledger.runs.list(run.job).filter(({ id }) => id <= run.id),
    ),
    attention: attention.map((one) => ({ ...one, advice: nameJob(one.advice) })),
    insight,
    lookups: lookupUse(ledger, run, tally.lookups),
    table: readReportRows(records, run, chooseRows(tally.sample, mostRows), tally),
    peopleTable: run.hasPeople ? readReportPeople(tally.people, mostRows) : null,
  };
}

/** After the run has ended, only its error code is known. */
function whyStopped({ ledger, run, stopped }: ReportedRun) {
  if (stopped !== undefined) return stopped;
  return ledger.starts.list(run.job, 1).find(({ runId }) => runId === run.id)?.reason ?? '';
}

const longestText = 160;
const cellsShown = 6;

/** Identifying cells come first: one of them is why the row has no company. */
function exampleIn({ records, run, identify = [] }: ReportedRun): ExampleOf {
  return (number) => {
    const [found] = records.at(run, [number]);
    if (!found) return undefined;
    const { cells, identifier, message } = found.record;
    const causes = identify.map(({ column }) => cells[run.columns.indexOf(column)]);
    const filled = new Set([...causes, ...cells].flatMap((cell) => cell?.trim() || []));
    const clip = (text: string | null) => text && clipText(text, longestText);
    return {
      row: number,
      rowText: clip([...filled].slice(0, cellsShown).join(' · ')) ?? '',
      identifier: clip(identifier),
      message: clip(message),
    };
  };
}

/** scripts/build-page.ts checks that the page has this exactly once. */
export const dataElement = '<script type="application/json" id="report-data">null</script>';

export function readBuiltPage(name = 'dist/page/report.html'): string | undefined {
  const path = packagePath(name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

export function renderReport(page: string, data: ReportData): string {
  if (page.split(dataElement).length !== 2) {
    throw new Error('the page needs exactly one element for its data');
  }
  return page.replace(dataElement, () => dataElement.replace('null', () => embedJson(data)));
}

/** Without `<` the JSON cannot end the script element. */
export function embedJson(data: unknown): string {
  return JSON.stringify(data).replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape);
}
