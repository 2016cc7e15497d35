import type { JobHistory } from '../../overview/history/read-history.ts';
import type { JobStatus } from '../../overview/status/status-json.ts';
import type { HistoryJob, HistoryRun } from '../api/history.ts';
import { problemOf } from '../http/answer-errors.ts';

export function historyJob({ path, name, status, trouble }: JobHistory): HistoryJob {
  const runs = status?.runs.map((run) => historyRun(run, status.starts)) ?? [];
  return { path: path ?? null, name, runs, problem: trouble ? problemOf(trouble) : null };
}

/** A run with the last of its starts: one that was stopped has several. */
function historyRun(run: JobStatus['runs'][number], starts: JobStatus['starts']): HistoryRun {
  const last = starts.find((start) => start.run === run.run);
  return {
    id: run.run,
    startedAt: Date.parse(run.startedAt),
    seconds: run.state === 'running' ? null : run.seconds,
    startedBy: last?.startedBy ?? null,
    host: last?.host ?? null,
    state: run.state,
    held: run.held?.map(({ message }) => message) ?? [],
    reason: last?.reason ?? null,
    exitCode: last?.exitCode ?? null,
    limit: run.limit,
    isSample: run.sampleData,
    isPruned: run.prunedAt !== null,
    isComparable: run.state === 'finished' && run.limit === null && run.prunedAt === null,
    rows: run.rows.total,
    matched: run.rows.matched,
    people: run.people,
    requests: run.requests,
    money: run.money,
  };
}
