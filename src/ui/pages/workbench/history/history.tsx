import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { HistoryJob, RunChanges, RunFacts } from '../../../workbench/api/runs.ts';
import { Changes } from '../../parts/changes.tsx';
import { count, counted, duration, percent } from '../../parts/text/format.ts';
import { Time } from '../../parts/text/time.tsx';
import { spentText } from '../shell/amounts.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { SaveJob } from './save-job.tsx';

/** The runs of every job of the folder, or of one. */
export function History({ job }: { readonly job: string | undefined }) {
  const { value, problem } = useLoaded('', (signal) => ask<HistoryJob[]>('history', { signal }));
  if (problem) return <Problem problem={problem} />;
  if (!value) return <p class="empty waiting">Reading the ledgers …</p>;
  const jobs = job === undefined ? value : value.filter(({ path }) => path === job);
  return (
    <>
      <h1 class="history-title">History</h1>
      {jobs.length === 0 && (
        <p class="empty card">
          No runs yet. <a href={linkTo({ view: 'lists' })}>Choose a list</a> and try ten rows: each
          run is listed here with its cost and its changes.
        </p>
      )}
      {jobs.length < value.length && (
        <p>
          <a href={linkTo({ view: 'history' })}>
            All {counted(value.length, 'list', 'lists')} of this folder
          </a>
        </p>
      )}
      {jobs.map((one) => (
        <JobRuns key={one.path ?? one.name} job={one} />
      ))}
    </>
  );
}

/** More are folded away. */
const shownAtOnce = 10;
/** Makes what scrolls reachable by the keyboard. */
const focusable = { tabIndex: 0 };

/** One job: its whole runs, its tries, and the changes between two runs. */
function JobRuns({ job: { path, name, runs, problem } }: { readonly job: HistoryJob }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const canCompare = path !== null && runs.filter(isComparable).length > 1;
  const choose = (id: string, isChosen: boolean) =>
    // The third choice takes the place of the first.
    setChosen((before) =>
      isChosen ? [...before.slice(-1), id] : before.filter((one) => one !== id),
    );
  // Runs are listed newest first.
  const [to, from] = runs.map(({ run }) => run).filter((id) => chosen.includes(id));
  const shown = isOpen ? runs : runs.slice(0, shownAtOnce);
  const whole = shown.filter(({ limit }) => limit === null);
  const tries = shown.filter(({ limit }) => limit !== null);
  const line = (run: RunFacts) => (
    <RunLine key={run.run} run={run} job={path}>
      {canCompare && (
        <td>
          <input
            type="checkbox"
            aria-label={`Compare ${run.run}`}
            checked={chosen.includes(run.run)}
            disabled={!isComparable(run)}
            onChange={({ currentTarget }) => choose(run.run, currentTarget.checked)}
          />
        </td>
      )}
    </RunLine>
  );
  return (
    <section class="card job-runs" aria-labelledby={`job-${name}`}>
      <h2 id={`job-${name}`}>
        {path === null ? name : <a href={linkTo({ view: 'result', job: path })}>{name}</a>}{' '}
        {path === null && <small>its job file is no longer in this folder</small>}
      </h2>
      {problem && <Problem problem={problem} />}
      {runs.length > 0 && (
        <section class="scroll" {...focusable} aria-label={`Runs of ${name}`}>
          <table class="runs">
            <thead>
              <tr>
                {canCompare && <th scope="col">Compare</th>}
                <th scope="col">Run</th>
                <th scope="col">Started</th>
                <th scope="col">By</th>
                <th scope="col" class="number">
                  Rows
                </th>
                <th scope="col" class="number">
                  Found
                </th>
                <th scope="col" class="number">
                  Spent
                </th>
                <th scope="col">How it ended</th>
              </tr>
            </thead>
            <tbody>{whole.map(line)}</tbody>
            {tries.length > 0 && (
              <tbody>
                <tr>
                  <th scope="rowgroup" colSpan={canCompare ? 8 : 7}>
                    Tries of the first rows
                  </th>
                </tr>
                {tries.map(line)}
              </tbody>
            )}
          </table>
        </section>
      )}
      {runs.length > shown.length && (
        <button type="button" onClick={() => setOpen(true)}>
          Show all {runs.length} runs
        </button>
      )}
      {canCompare && chosen.length < 2 && (
        <p class="note">Choose two runs to see what changed between them.</p>
      )}
      {path !== null && from !== undefined && to !== undefined && (
        <TwoRuns job={path} from={from} to={to} />
      )}
      {path !== null && <SaveJob job={path} />}
    </section>
  );
}

/** Finished, of the whole list, and still in the ledger. */
function isComparable({ endedAt, limit, prunedAt }: RunFacts): boolean {
  return endedAt !== null && limit === null && prunedAt === null;
}

/** The changes between two runs. */
function TwoRuns(runs: { readonly job: string; readonly from: string; readonly to: string }) {
  const { value, problem, isLoading } = useLoaded(JSON.stringify(runs), (signal) =>
    ask<RunChanges>('changes', { query: runs, signal }),
  );
  if (problem) return <Problem problem={problem} />;
  return (
    <div aria-live="polite">
      {isLoading && (
        <p class="empty waiting">
          Comparing {runs.to} with {runs.from} …
        </p>
      )}
      {!isLoading && value && <Changes changes={value.changes} />}
    </div>
  );
}

interface RunLineProps {
  readonly run: RunFacts;
  readonly job: string | null;
  /** The cell in front of the others, if there is one. */
  readonly children: ComponentChildren;
}

function RunLine({ run, job, children }: RunLineProps) {
  const { run: id, startedAt, seconds, rows, prunedAt } = run;
  return (
    <tr>
      {children}
      <td>
        {job === null || prunedAt !== null ? (
          id
        ) : (
          <a href={linkTo({ view: 'result', job, run: id })}>{id}</a>
        )}
      </td>
      <td>
        <Time at={startedAt} />
        {seconds !== null && run.state !== 'running' && <small> {duration(seconds * 1_000)}</small>}
      </td>
      <td>{starterOf(run)}</td>
      <td class="number">{count(rows.total)}</td>
      <td class="number">{percent(rows.matched, rows.total)}</td>
      <td class="number">{run.sampleData ? 'sample data' : spentText(run)}</td>
      <td>{endOf(run)}</td>
    </tr>
  );
}

const starters = { page: 'this page', terminal: 'terminal', script: 'schedule' } as const;

function starterOf({ startedBy, host }: RunFacts): string {
  const by = startedBy === null ? '' : starters[startedBy];
  return host === null ? by : `${by} on ${host}`;
}

/** How a run ended, in words. */
function endOf({ state, held, reason, prunedAt, exitCode }: RunFacts): string {
  const end = () => {
    if (state === 'superseded') return 'replaced by a newer run';
    if (state === 'held') return `held: ${held?.map(({ message }) => message).join('; ')}`;
    if (state === 'stopped' || state === 'incomplete' || state === 'undelivered')
      return reasons[reason ?? ''] ?? reason ?? state;
    return state === 'finished' && exitCode === 3 ? 'finished, some rows failed' : state;
  };
  return prunedAt === null ? end() : `${end()}, its rows are pruned`;
}

const reasons: Readonly<Record<string, string>> = {
  INTERRUPTED: 'stopped by hand',
  TERMINATED: 'stopped by the system',
  BUDGET_SPENT: 'stopped: the budget was spent',
  QUOTA_SPENT: 'stopped: the quota of the key was spent',
  THROTTLED_TOO_LONG: 'stopped: throttled for too long',
  KEY_REFUSED: 'stopped: the key was refused',
  SERVICE_DOWN: 'stopped: the service was down',
  OUTPUT_TROUBLE: 'the files could not be written',
};
