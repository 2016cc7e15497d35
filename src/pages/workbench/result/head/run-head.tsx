import { useEffect, useRef, useState } from 'preact/hooks';
import type { JobState } from '../../../../workbench/api/job-state.ts';
import { count, counted } from '../../../parts/text/format.ts';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { linkTo } from '../../shell/route.ts';
import type { Watched } from '../../shell/use-job-state.ts';
import { Held } from './held.tsx';
import { Outputs } from './outputs.tsx';
import { runWords } from './run-words.ts';

interface RunHeadProps {
  readonly job: string;
  readonly watched: Watched;
  readonly isReadOnly: boolean;
}

/** Where the run stands, in words that change with it, and what can be done now. */
export function RunHead({ job, watched: { state, isLost }, isReadOnly }: RunHeadProps) {
  const [problem, setProblem] = useState<ApiProblem>();
  /** The button was pressed; the state of the server says so a moment later. */
  const [asked, setAsked] = useState<Sent>();
  /** The server has passed the stop on; until then the run is not said to stop. */
  const [isTaken, setTaken] = useState(false);
  useEffect(() => {
    setAsked(undefined);
    setTaken(false);
  }, [state?.isRunning, state?.isStopping]);
  const heading = useRef<HTMLHeadingElement>(null);
  const hasState = state !== undefined;
  // Whoever comes from another view without a mouse goes on here.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [hasState]);
  if (!state) {
    // What keeps the server from telling stands above.
    return isLost ? null : <p class="run-title none late">Looking at the ledger …</p>;
  }

  const send = (path: Sent, body?: unknown) => {
    setAsked(path);
    setProblem(undefined);
    ask(path, { method: 'POST', query: { job }, ...(body !== undefined && { body }) }).then(
      () => setTaken(path === 'stop'),
      (error) => {
        setAsked(undefined);
        setProblem(problemOf(error));
      },
    );
  };
  const isTold = asked === 'stop' && isTaken && state.isRunning;
  const shown = isTold ? { ...state, isStopping: true } : state;
  const { tone, title, phase, facts, progress } = runWords(shown);
  const trouble = problem ?? endOf(shown);
  return (
    <section class={`run-head tone-${tone}`} aria-label="The run">
      <div class="run-line">
        <div class="run-said">
          <h1 ref={heading} tabIndex={-1} class="run-title">
            {asked === 'run' && !state.isRunning ? 'Starting …' : title}
          </h1>
          <p class="unseen" role="status">
            {phase}
          </p>
          <p class="run-facts">
            {isLost && <b>{lostWords(isReadOnly)} </b>}
            {facts.join(' · ')}
          </p>
        </div>
        {!isReadOnly && (
          <Controls job={job} state={shown} isBusy={asked !== undefined} send={send} />
        )}
      </div>
      {progress !== null && <progress value={progress} max={1} aria-label="Calls settled" />}
      {shown.rowLimit !== null && shown.run && !shown.isRunning && (
        <p class="notice-line">
          <b>A try of the first {counted(shown.rowLimit, 'row', 'rows')}.</b> Its answers are kept:
          the whole list does not ask for them again.
        </p>
      )}
      {trouble && <Problem problem={trouble} />}
      {shown.run && !shown.isStarting && shown.run.run.held.length > 0 && !isReadOnly && (
        <Held job={job} run={shown.run} isRunning={shown.isRunning} />
      )}
      {shown.run && !shown.isRunning && <Outputs job={job} run={shown.run} />}
    </section>
  );
}

function lostWords(isReadOnly: boolean): string {
  return isReadOnly
    ? 'The run has ended, and this page with it. Its report.html shows the result.'
    : 'The page has lost its server; the run goes on without it.';
}

/** What a button asks the server for. */
type Sent = 'run' | 'stop' | 'outputs';

interface ControlsProps {
  readonly job: string;
  readonly state: JobState;
  readonly isBusy: boolean;
  readonly send: (path: Sent, body?: unknown) => void;
}

function Controls({ job, state, isBusy, send }: ControlsProps) {
  const { run, isRunning, isStopping, rowLimit } = state;
  const read = linkTo({ view: 'read', job });
  if (isRunning) {
    return (
      <div class="run-buttons">
        <button type="button" disabled={isStopping || isBusy} onClick={() => send('stop')}>
          {isStopping ? 'Stopping …' : 'Stop'}
        </button>
      </div>
    );
  }
  if (!run) {
    return (
      <div class="run-buttons">
        <a class="button" href={read}>
          See what it costs
        </a>
      </div>
    );
  }
  if (run.run.state === 'interrupted') {
    const left = run.calls.open > 0 ? `: ${count(run.calls.open)} left to ask` : '';
    return (
      <div class="run-buttons">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => send('run', rowLimit === null ? { goesOn: true } : { limit: rowLimit })}
        >
          Go on{left}
        </button>
      </div>
    );
  }
  return (
    <div class="run-buttons">
      {state.canWriteAgain && (
        <button type="button" disabled={isBusy} onClick={() => send('outputs')}>
          Write the result again
        </button>
      )}
      <a class="button" href={read}>
        {rowLimit === null ? 'Run again …' : 'Run the whole list …'}
      </a>
    </div>
  );
}

/** A stop that was asked for is no problem, and what is held says so itself. */
const toldOtherwise = ['INTERRUPTED', 'HELD'];

/** Why the last start ended, where it did not end well. */
function endOf({ ended, isRunning }: JobState): ApiProblem | undefined {
  if (!ended || isRunning) return undefined;
  const { exitCode, reason, message, remedy } = ended;
  // A run with failed rows, which the headline counts, has no reason.
  const isGood = reason === null && (exitCode === 0 || exitCode === 3);
  if (isGood || toldOtherwise.includes(reason ?? '')) return undefined;
  return {
    code: 'BUG',
    message: message ?? `The run ended with exit code ${exitCode}.`,
    remedy: remedy ?? '',
  };
}
