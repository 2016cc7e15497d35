import { useEffect, useRef } from 'preact/hooks';
import type { JobState, RunOutputs, ShownRun } from '../../../workbench/api.ts';
import { type ApiProblem, apiUrl, request } from '../../parts/api.ts';
import { Problem } from '../../parts/controls.tsx';
import { bytes, count, counted } from '../../parts/format.ts';
import { type Loaded, useAttempt, useLoaded } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
import { headlineOf } from './headline.ts';

/** Where the run stands, in words that change with it, and what can be done now. */
export function RunHead(props: {
  job: string;
  watched: Omit<Loaded<JobState>, 'isLoading'>;
  isReadOnly: boolean;
}) {
  const { job, watched, isReadOnly } = props;
  const { value: state, problem: lost, reload } = watched;
  const { problem, isBusy, attempt } = useAttempt();
  const heading = useRef<HTMLHeadingElement>(null);
  const hasState = state !== undefined;
  // Whoever comes from another view without a mouse goes on here.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [hasState]);
  if (!state) {
    // What keeps the server from answering stands above.
    return lost ? null : <p class="muted late">Looking at the ledger …</p>;
  }
  const send = (path: Sent, body?: unknown) =>
    attempt(async () => {
      await request(path, { method: 'POST', query: { job }, body });
      reload();
    });
  const { isBad, title, phase, facts, progress } = headlineOf(state);
  const { run, isRunning } = state;
  return (
    <section class={isBad ? 'run-head bad' : 'run-head'} aria-label="The run">
      <div class="row between">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p class="unseen" role="status">
            {phase}
          </p>
          <p class="note">
            {lost && <b>{lostWords(isReadOnly)} </b>}
            {facts.join(' · ')}
          </p>
        </div>
        {!isReadOnly && (
          <div class="row">
            <Controls {...{ job, state, isBusy, send }} />
          </div>
        )}
      </div>
      {progress !== null && <progress value={progress} max={1} aria-label="Rows done" />}
      {run && run.limit !== null && !isRunning && (
        <p class="notice accent">
          <b>A try of the first {counted(run.limit, 'row')}.</b> Its answers are kept: the whole
          list does not look them up again.
        </p>
      )}
      <Problem of={problem ?? endOf(state)} />
      {run?.held && !state.isStarting && <Held {...{ job, run, isRunning, isReadOnly }} />}
      {run && !isRunning && <Outputs job={job} run={run} />}
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

function Controls(props: {
  job: string;
  state: JobState;
  isBusy: boolean;
  send(path: Sent, body?: unknown): void;
}) {
  const { job, state, isBusy, send } = props;
  const { run, isRunning, isStopping } = state;
  const read = (words: string) => (
    <a class="button" href={linkTo({ view: 'read', job })}>
      {words}
    </a>
  );
  const button = (words: string, path: Sent, body?: unknown) => (
    <button type="button" disabled={isStopping || isBusy} onClick={() => send(path, body)}>
      {words}
    </button>
  );
  if (isRunning) return button(isStopping ? 'Stopping …' : 'Stop', 'stop');
  if (!run) return read('See what it costs');
  const { limit, calls } = run;
  if (!run.complete) {
    const left = calls.open > 0 ? `: ${count(calls.open)} left to look up` : '';
    return button(`Go on${left}`, 'run', { goesOn: true, limit: limit ?? undefined });
  }
  return (
    <>
      {run.state === 'undelivered' && button('Write the result again', 'outputs')}
      {read(limit === null ? 'Run again …' : 'Run the whole list …')}
    </>
  );
}

/** A stop that was asked for is no problem, and what is held says so itself. */
const shownOtherwise = ['INTERRUPTED', 'HELD'];

/** Why the last start ended, where it did not end well. */
function endOf({ ended, isRunning }: JobState): ApiProblem | undefined {
  if (!ended || isRunning) return undefined;
  const { exitCode, reason, message, remedy } = ended;
  // A run with failed rows, which the headline counts, has no reason.
  const isGood = reason === null && (exitCode === 0 || exitCode === 3);
  if (isGood || shownOtherwise.includes(reason ?? '')) return undefined;
  return {
    code: 'BUG',
    message: message ?? `The run ended with exit code ${exitCode}.`,
    remedy: remedy ?? '',
  };
}

/** A result that was not what the job expects, and is put aside until a person has looked at it. */
function Held(props: { job: string; run: ShownRun; isRunning: boolean; isReadOnly: boolean }) {
  const { job, run, isRunning, isReadOnly } = props;
  const { problem, isBusy, attempt } = useAttempt();
  return (
    <div class="notice failed stack" role="alert">
      <p>
        <b>Not published: it is not what the job expects.</b> The last good files stand as they
        were.
      </p>
      <ul class="bullets">
        {run.held?.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      {!isReadOnly && !isRunning && (
        <details>
          <summary>The result is right: publish it …</summary>
          <button
            type="button"
            disabled={isBusy}
            onClick={() => attempt(() => request('accept', { method: 'POST', query: { job } }))}
          >
            Replace the last good files
          </button>
        </details>
      )}
      <Problem of={problem} />
    </div>
  );
}

/** Where the files of the run are, and its report. */
function Outputs({ job, run: { run, state } }: { job: string; run: ShownRun }) {
  const { value } = useLoaded([job, run, state].join('\n'), (signal) =>
    request<RunOutputs>('outputs', { query: { job, run }, signal }),
  );
  if (!value?.folder && !value?.otherDestinations.length) return null;
  const { folder, files, hasReport, otherDestinations } = value;
  return (
    <details class="outputs note">
      <summary>
        {folder ? (
          <>
            {counted(files.length, 'file')} in <code>{folder}</code>
          </>
        ) : (
          'Where the result is'
        )}
      </summary>
      <ul class="bullets">
        {hasReport && (
          <li>
            <a href={apiUrl('report', { job, run })} target="_blank" rel="noreferrer">
              report.html
            </a>{' '}
            <small>opens in a tab of its own</small>
          </li>
        )}
        {files.map(({ name, rows, bytes: size }) => (
          <li key={name}>
            <code>{name}</code>{' '}
            <small>
              {counted(rows, 'row')}, {bytes(size)}
            </small>
          </li>
        ))}
        {otherDestinations.map((address) => (
          <li key={address}>
            <small>{folder ? 'the job also brings it to' : 'the job brings it to'}</small>{' '}
            <code>{address}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
