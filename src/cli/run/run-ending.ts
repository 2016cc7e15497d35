import { runName } from '../../ledger/runs/runs.ts';
import { answeredCalls, type Counts } from '../../rules/outcomes.ts';
import type { RunObserver } from '../../run/run-job.ts';
import type { RunExport } from '../../run/write-outputs.ts';
import type { Log } from '../../runtime/log/log.ts';

/** Logs `run.ended`, whatever ends the run: without it a reader of the log could only guess. */
export interface RunEnding extends Pick<RunObserver, 'onStart' | 'onProgress' | 'onWritten'> {
  end(exitCode: number, facts?: EndFacts): void;
}

interface EndFacts {
  readonly folder?: string | undefined;
  readonly report?: string | undefined;
}

/** `requests` gives how many requests of this start may be charged. */
export function openRunEnding(log: Log, job?: string, requests = () => 0): RunEnding {
  const startedAt = performance.now();
  let run: string | undefined;
  let counts: Counts | undefined;
  let callsBefore = 0;
  let exported: RunExport | undefined;
  return {
    onStart(started, _isResumed, current) {
      run = runName(started);
      counts = current;
      callsBefore = answeredCalls(current.calls);
    },
    onProgress(current) {
      counts = current;
    },
    onWritten(written) {
      exported = written;
    },
    end(exitCode, facts = {}) {
      const seconds = Math.round(performance.now() - startedAt) / 1_000;
      const { rows, people } = counts ?? {};
      const calls = counts && callFacts(counts.calls, callsBefore);
      const changes = exported && changeFacts(exported);
      const stood = { rows, calls, people, changes, requests: requests() };
      log.info({ job, run, exitCode, ...stood, seconds, ...facts }, 'run.ended');
    },
  };
}

/** The changes by the names that `run --json` has for them; undefined where nothing was compared. */
function changeFacts({ changesSince: since, counts }: RunExport) {
  return since === null ? undefined : { since, ...counts.changes };
}

/** The calls by the names that `run --json` has for them; `made` are those of this start. */
function callFacts(calls: Counts['calls'], callsBefore: number) {
  const { called: _, ...others } = calls;
  return { made: answeredCalls(calls) - callsBefore, ...others };
}
