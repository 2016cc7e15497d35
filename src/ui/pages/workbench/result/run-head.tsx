import type { ComponentChildren, JSX } from 'preact';
import { counted, formatBytes, formatNumber } from '../../../../core/values/format.ts';
import { formatMoney } from '../../../../core/values/money.ts';
import type { JobState, RunOutputs, RunPlan, ShownRun } from '../../../workbench/api/answers.ts';
import { apiUrl, request } from '../../parts/api.ts';
import { Button, Problem } from '../../parts/controls.tsx';
import {
  currentOf,
  type Loaded,
  useAttempt,
  useHeadingFocus,
  useRequest,
} from '../../parts/load.ts';
import { LookupTable } from '../../parts/text.tsx';
import { linkTo } from '../route.ts';
import { SpendButton } from '../spend.tsx';
import { headlineOf } from './headline.ts';

export function RunHead(props: {
  job: string;
  watched: Omit<Loaded<JobState>, 'isLoading'>;
  /** True for a report, which has no server. */
  isReadOnly?: boolean;
  children?: ComponentChildren;
}) {
  const { job, watched, isReadOnly, children } = props;
  const { value: state, problem: lost, reload } = watched;
  const { problem, isBusy, attempt } = useAttempt();
  const heading = useHeadingFocus(state !== undefined);
  if (!state) {
    // If the connection is lost, the page shows the error above.
    if (lost) return lost.code === undefined ? null : <Problem of={lost} />;
    return <p class="muted late">Reading the ledger …</p>;
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
            {lost && <b>The page lost its connection to Dossier and may be out of date. </b>}
            {facts.join(' · ')}
          </p>
        </div>
        {!isReadOnly && (
          <div class="row">
            <Controls {...{ job, state, isBusy, send }} />
          </div>
        )}
      </div>
      {run?.services && <ByService {...run} />}
      {progress !== null && <progress value={progress} max={1} aria-label="Calls made" />}
      {run && run.limit !== null && !isRunning && (
        <p class="notice accent">
          <b>Only the first {counted(run.limit, 'row')}.</b> A run of the whole list reuses these
          answers.
        </p>
      )}
      {run && !run.complete && !isRunning && run.calls.open > 0 && (
        <p class="note">{explainOpenRows(run)}</p>
      )}
      {run && !isReadOnly && run.foundNothing && <NothingFound {...run} path={job} />}
      <Ending {...state} />
      <Problem of={problem} />
      {run?.held && !state.isStarting && (
        <Held
          reasons={run.held}
          onAccept={isReadOnly || isRunning || isBusy ? undefined : () => send('accept')}
        />
      )}
      {run?.warnings && run.warnings.length > 0 && (
        <ul class="notice">
          {run.warnings.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}

function NothingFound({ path: job, rows, paid }: ShownRun & { path: string }) {
  return (
    <p class="notice failed" role="alert">
      <b>
        No company found for {counted(rows.not_found, 'row')}
        {paid !== '' && `: ${paid}`}.
      </b>{' '}
      Is this the right service, country and column?{' '}
      <a href={linkTo({ view: 'read', job })}>See how the list is read</a>
    </p>
  );
}

function ByService({ services = {} }: ShownRun) {
  return (
    <ul class="note" aria-label="By service">
      {Object.entries(services).map(([name, { made, hits, misses, failed, reused, money }]) => (
        <li key={name}>
          <bdi>{name}</bdi>
          {[
            `: ${counted(made, 'call')}`,
            `${formatNumber(hits)} found`,
            `${formatNumber(misses)} not found`,
            ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
            ...(reused > 0 ? [`${formatNumber(reused)} already answered`] : []),
            ...money.map(({ currency, amount }) => formatMoney(currency, amount)),
          ].join(' · ')}
        </li>
      ))}
    </ul>
  );
}

/** Explains why the numbers of calls and of open rows differ. */
function explainOpenRows({ rows: { open }, calls }: ShownRun) {
  const rows =
    open === 0 ? 'People searches still need' : counted(open, 'row still needs', 'rows still need');
  return `${rows} ${counted(calls.open, 'call')}. Rows with the same identifier share one call; a row that is not found may need another.`;
}

type Sent = 'run' | 'stop' | 'outputs' | 'accept';

/** If true, the table offers the next step, so no button here is primary. */
export function isDone({ complete, limit, state }: ShownRun): boolean {
  return complete && limit === null && state !== 'undelivered';
}

interface ControlsProps {
  job: string;
  state: JobState;
  isBusy: boolean;
  send(path: Sent, body?: unknown): void;
}

function Controls(props: ControlsProps) {
  const { job, state, isBusy, send } = props;
  const { run, isRunning, isStarting, isStopping } = state;
  const tone = isRunning || (run && isDone(run)) ? 'button' : 'button primary';
  const read = (words: string) => (
    <a class={tone} href={linkTo({ view: 'read', job })}>
      {words}
    </a>
  );
  const button = (words: string, path: Sent) => (
    <Button class={tone} disabled={isStopping || isBusy} onClick={() => send(path)}>
      {words}
    </Button>
  );
  // Its process takes seconds to end.
  if (isRunning && run?.complete && run.phase === null && !isStarting) return null;
  if (isRunning) return button(isStopping ? 'Stopping …' : 'Stop', 'stop');
  if (!run) return read('See what a run costs');
  if (!run.complete) {
    return <Continue {...props} otherwise={read('See what a run costs')} />;
  }
  if (run.state === 'undelivered') return button('Write the result again', 'outputs');
  return read(run.limit === null ? 'Run again …' : 'Run the whole list …');
}

function Continue(props: ControlsProps & { otherwise: JSX.Element }) {
  const { job, state, isBusy, send, otherwise } = props;
  const part = { of: 'rest', limit: state.run?.limit ?? undefined };
  const rest = useRequest<RunPlan>('plan', { job, ...part });
  const plan = currentOf(rest);
  // A new run would start, so its price must be shown first.
  if (plan && !plan.resumes) return otherwise;
  return (
    <>
      <SpendButton
        words="Continue"
        {...{ plan, isOff: isBusy, isPrimary: true }}
        onStart={(atMost) => send('run', { ...part, atMost })}
      />
      <Problem of={rest.problem} />
    </>
  );
}

/** A stop by the user is not an error, and a held result has its own notice. */
const shownOtherwise = ['INTERRUPTED', 'HELD'];

function Ending({ ended, isRunning }: JobState) {
  if (!ended || isRunning) return null;
  const { exitCode, reason, message, remedy } = ended;
  // Exit code 3 means failed rows, which the headline counts.
  const isGood = reason === null && (exitCode === 0 || exitCode === 3);
  if (isGood || shownOtherwise.includes(reason ?? '')) return null;
  const problem = {
    message: message ?? `The run ended with exit code ${exitCode}.`,
    remedy: remedy ?? '',
  };
  return <Problem of={problem} isExpected={reason === 'BUDGET_SPENT'} />;
}

function Held({
  reasons,
  onAccept,
}: {
  reasons: NonNullable<ShownRun['held']>;
  onAccept: (() => void) | undefined;
}) {
  return (
    <div class="notice failed stack" role="alert">
      <p>
        <b>Not published: the result failed the job’s checks.</b> No published result was changed.
      </p>
      <ul class="bullets">
        {reasons.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      {onAccept && (
        <details>
          <summary>The result is right: publish it …</summary>
          <Button onClick={onAccept}>Publish this result</Button>
        </details>
      )}
    </div>
  );
}

export function Outputs(query: { job: string; run: string }) {
  const { value } = useRequest<RunOutputs>('outputs', query);
  if (!value?.folder && !value?.otherDestinations.length) return null;
  const { folder, files, hasReport, otherDestinations, lookups } = value;
  return (
    <div class="row outputs note">
      {hasReport && (
        <a href={apiUrl('report', query)} target="_blank" rel="noreferrer">
          Open the report
        </a>
      )}
      <details>
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
          {files.map(({ name, rows, bytes: size }) => (
            <li key={name}>
              <code>{name}</code>{' '}
              <small>
                {counted(rows, 'row')}, {formatBytes(size)}
              </small>
            </li>
          ))}
          {otherDestinations.map(({ address, lag }) => (
            <li key={address}>
              {!lag && <small>{folder ? 'also written to' : 'written to'}</small>}{' '}
              <code>{address}</code> {lag && <strong>{lag}</strong>}
            </li>
          ))}
        </ul>
      </details>
      {lookups.length > 0 && (
        <details>
          <summary>What found the companies</summary>
          <LookupTable lookups={lookups} />
        </details>
      )}
    </div>
  );
}
