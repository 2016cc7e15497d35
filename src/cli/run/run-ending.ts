import { runName } from '../../ledger/runs/runs.ts';
import { answeredCalls, type Counts } from '../../rules/outcomes.ts';
import type { SpentSoFar } from '../../run/calls/request-budget.ts';
import type { RunObserver } from '../../run/run-job.ts';
import { moneyJson } from '../../runtime/budget/money.ts';
import type { Log } from '../../runtime/log/log.ts';

/** Logs `run.ended`, whatever ends the run: without it a reader of the log could only guess. */
export interface RunEnding extends Pick<RunObserver, 'onStart' | 'onProgress'> {
  end(exitCode: number, facts?: EndFacts): void;
}

interface EndFacts {
  readonly folder?: string | undefined;
  readonly report?: string | undefined;
}

const nothing: SpentSoFar = { spent: 0, money: undefined };

export function openRunEnding(log: Log, job?: string, budget = nothing): RunEnding {
  const startedAt = performance.now();
  let run: string | undefined;
  let counts: Counts | undefined;
  let callsBefore = 0;
  return {
    onStart(started, _isResumed, current) {
      run = runName(started);
      counts = current;
      callsBefore = answeredCalls(current.calls);
    },
    onProgress(current) {
      counts = current;
    },
    end(exitCode, facts = {}) {
      const seconds = Math.round(performance.now() - startedAt) / 1_000;
      const { rows, people } = counts ?? {};
      const calls = counts && callFacts(counts.calls, callsBefore);
      const money = budget.money && moneyJson(budget.money);
      const stood = { rows, calls, people, requests: budget.spent, ...(money && { money }) };
      log.info({ job, run, exitCode, ...stood, seconds, ...facts }, 'run.ended');
    },
  };
}

/** The calls by the names that `run --json` has for them; `made` are those of this start. */
function callFacts(calls: Counts['calls'], callsBefore: number) {
  const { called: _, ...others } = calls;
  return { made: answeredCalls(calls) - callsBefore, ...others };
}
