import { foundNothing } from '../rules/found-nothing.ts';
import type { Attention, Insight, ReportData } from './data/report-data.ts';

type Facts = Pick<ReportData, 'rows' | 'stale' | 'calls' | 'run'> & {
  readonly insight: Pick<Insight, 'reasons' | 'mismatches'>;
  readonly doubtfulCalls: number;
  readonly failedSearches: number;
  readonly incompleteSearches: number;
  /** Corrections that have applied to the list. */
  readonly corrections: number;
};

/** What a person should look at, the worst first. */
export function findAttention(facts: Facts): Attention[] {
  return [...problemsOf(facts), ...noticesOf(facts)];
}

function problemsOf(facts: Facts): Attention[] {
  const { run, rows, stale = 0, insight, doubtfulCalls, failedSearches } = facts;
  const problems: Attention[] = [];
  const add = (title: string, advice: string, section?: Attention['section']) =>
    problems.push({ level: 'problem', title, advice, ...(section && { section }) });
  if (run.held.length > 0) {
    add(
      'The result is held: it is not what was expected',
      'If it is right, `dossier export <job> --accept` publishes it. The next run asks again for what was not found.',
    );
  }
  const isStopped = run.state === 'interrupted';
  if (isStopped) {
    add(
      'The run has not finished',
      'Run the same command again to go on; what was answered is not paid twice.',
    );
  }
  const damaged = rowsOf(insight, 'damaged_answer');
  const failed = rows.failed - damaged;
  if (failed > 0) {
    const title = `${counted(failed, 'row', 'rows')} failed after all attempts`;
    add(title, 'Run the job again: only what failed is asked once more.', 'rejects');
  }
  if (rows.open > 0) {
    const title = `${counted(rows.open, 'row was', 'rows were')} not asked for yet`;
    add(title, 'Run the same command again to go on; what was answered is not paid twice.', 'rows');
  }
  if (stale > 0) {
    const title = `${counted(stale, 'row shows an older answer', 'rows show older answers')}`;
    const advice = isStopped
      ? 'Their newer ones were not asked for yet; `stale` is true for them in the files.'
      : 'Newer ones could not be had. Run the job again: only what failed is asked once more.';
    add(title, advice, 'rows');
  }
  if (damaged > 0) {
    const title = `${counted(damaged, 'stored answer is', 'stored answers are')} damaged`;
    add(title, 'Left out of the files. Run the job again to fetch them anew.', 'rejects');
  }
  if (failedSearches > 0) {
    const title = `${counted(failedSearches, 'people search', 'people searches')} failed`;
    add(title, 'Run the job again: only these searches are made once more.');
  }
  if (doubtfulCalls > 0) {
    const title = `${counted(doubtfulCalls, 'call', 'calls')} may have been charged without an answer`;
    add(title, 'An earlier process died while they were on the wire; `dossier status` names them.');
  }
  return problems;
}

function noticesOf({ rows, insight, incompleteSearches, corrections }: Facts): Attention[] {
  const notices: Attention[] = [];
  const add = (title: string, advice: string, section?: Attention['section']) =>
    notices.push({ level: 'notice', title, advice, ...(section && { section }) });
  if (foundNothing(rows)) {
    const title = `None of ${counted(rows.not_found, 'row', 'rows')} found its company`;
    add(
      title,
      'Are the country and the columns of the job right? `dossier lookup` asks for a company that you know.',
      'rejects',
    );
  }
  const { mismatches } = insight;
  if (mismatches > 0) {
    const title = `${counted(mismatches, 'row', 'rows')} got a company with another identifier`;
    add(
      title,
      'It may be a rename, a parent or a mistake. Search the rows for mismatch, and look before you use them.',
      'rows',
    );
  }
  if (incompleteSearches > 0) {
    const title = `${counted(incompleteSearches, 'people search', 'people searches')} may have left people out`;
    add(
      title,
      'They reached maxPerCompany, or the service tells of more than it gave: people_complete is false for their companies.',
    );
  }
  const worst = insight.reasons.find(({ status }) => status === 'invalid');
  if (worst && rows.invalid > 0) {
    const title = `${counted(rows.invalid, 'row cannot', 'rows cannot')} be asked for as written`;
    add(title, `Most often: ${worst.message} ${worst.fix}`, 'rejects');
  }
  if (corrections > 0) {
    const title = `${counted(corrections, 'correction', 'corrections')} applied to the list`;
    add(
      title,
      'Its rows are shown as they were mended; `dossier fix <job> --list` names the cells.',
    );
  }
  return notices;
}

function rowsOf(insight: Facts['insight'], reason: string): number {
  const found = insight.reasons.filter((facts) => facts.reason === reason);
  return found.reduce((sum, { rows }) => sum + rows, 0);
}

function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
