import { parseCall } from '../contract/call.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { ArrivedAnswer } from '../ledger/runs/progress.ts';
import { type Run, timeTaken } from '../ledger/runs/runs.ts';
import { answeredCalls, type Counts } from '../rules/outcomes.ts';
import { savedCalls } from '../rules/saved-calls.ts';
import { sampleData } from '../runtime/sample-data.ts';
import { chartTimeline } from './chart-timeline.ts';
import type { RecentAnswer, ReportData, ReportState } from './data/report-data.ts';
import { findAttention } from './find-attention.ts';
import { paidBy } from './paid-by.ts';

export interface RunToLookAt {
  readonly ledger: Ledger;
  readonly run: Run;
  /** `r7` */
  readonly name: string;
  readonly isRunning: boolean;
  readonly counts: Counts;
  readonly version: string;
  readonly seenAt: number;
}

const answersShown = 15;

/** What can be said of a run at a glance, so that it may be asked for every second. */
export function lookAtRun(look: RunToLookAt): ReportData {
  const { ledger, run, name, counts, version, seenAt } = look;
  const state = stateOf(look);
  const { called: _, ...calls } = counts.calls;
  const { rows } = counts;
  const settled = rows.matched + rows.not_found + rows.invalid + rows.failed;
  const total = state === 'reading' ? ledger.progress.rowsRead(run.id) : settled + rows.open;
  const known = {
    run: {
      id: name,
      job: run.job,
      input: run.inputName,
      isSample: run.service === sampleData,
      state,
      held: run.held?.map(({ message }) => message) ?? [],
      hasPeople: run.hasPeople,
      startedAt: run.startedAt,
      endedAt: run.finishedAt,
      seenAt,
      took: timeTaken(run, run.finishedAt ?? seenAt),
    },
    rows: { ...rows, open: total - settled, total },
    calls: { made: answeredCalls(counts.calls), ...calls, saved: savedCalls(calls) },
    timeline: chartTimeline(ledger.timeline.of(run.id)),
    insight: null,
  };
  const { people, failedSearches, incompleteSearches } = counts;
  const corrections = run.corrections?.applied ?? 0;
  const trouble = { doubtfulCalls: 0, failedSearches, incompleteSearches, corrections };
  return {
    ...known,
    ...paidBy(ledger, run.id),
    version,
    people,
    attention: findAttention({ ...known, ...trouble }),
    files: [],
    recent: ledger.progress
      .lastAnswers(run.id, answersShown)
      .map((answer) => asRecent(ledger, answer)),
  };
}

function stateOf({ run, isRunning, counts }: RunToLookAt): ReportState {
  if (run.state === 'finished') return 'finished';
  if (!isRunning) return 'interrupted';
  if (run.state === 'ingesting') return 'reading';
  return counts.calls.open === 0 ? 'writing' : 'running';
}

function asRecent(ledger: Ledger, answer: ArrivedAnswer): RecentAnswer {
  const { id, request, outcome, durationMs, fetchedAt } = answer;
  const call = parseCall(request);
  const recent = { id, at: fetchedAt, outcome, durationMs };
  if (call.operation === 'people') return { ...recent, asked: `people of ${call.body.companyId}` };
  const asked = call.identifier.value;
  const company = outcome === 'hit' ? nameIn(ledger.calls.body(id)) : undefined;
  return { ...recent, asked, ...(company !== undefined && { company }) };
}

function nameIn(body: Buffer | null | undefined): string | undefined {
  try {
    const { name } = JSON.parse(body?.toString() ?? 'null') as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
