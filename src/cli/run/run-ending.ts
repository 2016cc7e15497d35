import { runName } from '../../ledger/runs/runs.ts';
import { answeredCalls, type Counts } from '../../rules/outcomes.ts';
import type { RunObserver } from '../../run/run-job.ts';
import type { Log } from '../../runtime/log/log.ts';

/** Logs `run.ended`, whatever ends the run: without it a reader of the log could only guess. */
export interface RunEnding
  extends Required<Pick<RunObserver, 'onStart' | 'onProgress' | 'onJudged' | 'onWritten'>> {
  end(exitCode: number, facts?: EndFacts): void;
}

interface EndFacts {
  readonly report?: string | undefined;
}

/** `requests` gives how many requests of this start may be charged. */
export function openRunEnding(log: Log, job?: string, requests = () => 0): RunEnding {
  const startedAt = performance.now();
  let run: string | undefined;
  let counts: Counts | undefined;
  let callsBefore = 0;
  let held: string[] | undefined;
  let folder: string | undefined;
  return {
    onStart(started, _isResumed, current) {
      run = runName(started);
      counts = current;
      callsBefore = answeredCalls(current.calls);
    },
    onProgress(current) {
      counts = current;
    },
    onJudged(breaches) {
      held = breaches?.map(({ message }) => message);
    },
    onWritten(exported) {
      folder = exported.folder;
    },
    end(exitCode, facts = {}) {
      const seconds = Math.round(performance.now() - startedAt) / 1_000;
      const { rows, people } = counts ?? {};
      const calls = counts && callFacts(counts.calls, callsBefore);
      const stood = { rows, calls, people, requests: requests() };
      log.info({ job, run, exitCode, held, ...stood, seconds, folder, ...facts }, 'run.ended');
    },
  };
}

/** The calls by the names that `run --json` has for them; `made` are those of this start. */
function callFacts(calls: Counts['calls'], callsBefore: number) {
  const { called: _, ...others } = calls;
  return { made: answeredCalls(calls) - callsBefore, ...others };
}
