import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
      trouble = 'No report.html: run `npm run build:page`, then `dossier export`.';
      return undefined;
    }
    const { folder, isShown = true } = reported;
    if (isShown) path = join(folder, reportName);
    return renderReport(empty, reportOf(reported, written, tally, nameJob));
  };
  return {
    openReport,
    path: () => path,
    /** Why there is no report; empty otherwise. */
    trouble: () => trouble,
  };
}

export type Reporter = ReturnType<typeof openReporter>;

function reportOf(
  reported: ReportedRun,
  written: WrittenFacts,
  tally: RunTally,
  nameJob: (text: string) => string,
): ReportData {
  const { ledger, run, facts, folder } = reported;
  const insight = gatherInsight(tally, written, run.hasPeople, exampleIn(reported));
  const possiblyCharged = ledger.calls.possiblyCharged(run.id).length;
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

/** The message of the error, or its code if the files are written later; empty if unknown. */
function whyStopped({ ledger, run, stopped }: ReportedRun): string {
  if (stopped !== undefined) return stopped;
  return ledger.starts.list(run.job, 1).find(({ runId }) => runId === run.id)?.reason ?? '';
}

const longestText = 160;
/** Enough to recognise the row. */
const cellsShown = 6;

/** Reads the examples of reasons. */
function exampleIn({ ledger, run }: ReportedRun): ExampleOf {
  return (number) => {
    const [found] = ledger.records.at(run, [number]);
    if (!found) return undefined;
    const { cells, identifier, message } = found.record;
    const filled = cells.flatMap((cell) => cell?.trim() || []);
    const clip = (text: string | null) => text && clipText(text, longestText);
    return {
      row: number,
      input: clip(filled.slice(0, cellsShown).join(' · ')) ?? '',
      cell: clip(identifier),
      message: clip(message),
    };
  };
}

/** Where the page expects its data; scripts/build-page.ts checks that it is there once. */
export const dataPlace = '<script type="application/json" id="report-data">null</script>';

/** The page without data; undefined where it was not built. */
export function readPage(path = packagePath('dist/page/report.html')): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The page with its data in it: one file that needs nothing else. */
export function renderReport(page: string, data: ReportData): string {
  const [before, after, ...more] = page.split(dataPlace);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('the page has no single place for its data');
  }
  return `${before}${dataPlace.replace('null', () => embedJson(data))}${after}`;
}

/** JSON that is safe inside a script element: without `<` it has no end tag and no comment. */
export function embedJson(data: unknown): string {
  return JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
