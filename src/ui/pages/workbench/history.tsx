import { useState } from 'preact/hooks';
import { counted, formatNumber } from '../../../core/values/format.ts';
import type { ChangesInsight } from '../../report/report-data.ts';
import type { HistoryJob, JobFile, RunFacts } from '../../workbench/api/answers.ts';
import { request } from '../parts/api.ts';
import { Changes } from '../parts/changes.tsx';
import { Form, Problem } from '../parts/controls.tsx';
import { percent } from '../parts/format.ts';
import { useAttempt, useRequest } from '../parts/load.ts';
import { PlainTable, Time } from '../parts/text.tsx';
import { linkTo, titleOf } from './route.ts';
import { spentByAll, spentText } from './spend.tsx';

export function History({ job }: { job: string | undefined }) {
  const { value, problem } = useRequest<HistoryJob[]>('history');
  if (problem) return <Problem of={problem} />;
  if (!value) return <p class="wait">Reading the ledgers …</p>;
  const jobs = job === undefined ? value : value.filter(({ path }) => path === job);
  return (
    <div class="view stack">
      <h1>History</h1>
      {jobs.length === 0 && (
        <p class="card muted">
          No runs yet. <a href={linkTo({ view: 'lists' })}>Choose a list</a> and try ten rows: each
          run is listed here with its cost and its changes.
        </p>
      )}
      {jobs.length < value.length && (
        <p>
          <a href={linkTo({ view: 'history' })}>History of all lists in this folder</a>
        </p>
      )}
      {jobs.map((one) => (
        <JobRuns key={one.path ?? one.name} {...one} />
      ))}
    </div>
  );
}

const shownAtOnce = 10;
const heads = ['Run', 'Started', 'Rows', 'Found', 'Spent', 'How it ended'];

function JobRuns({ path, name, runs, problem }: HistoryJob) {
  const title = titleOf(path ?? name);
  const spent = spentByAll(runs);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const canCompare = path !== null && runs.filter(isComparable).length > 1;
  const choose = (id: string, isChosen: boolean) =>
    // A third choice replaces the first.
    setChosen((before) =>
      isChosen ? [...before.slice(-1), id] : before.filter((one) => one !== id),
    );
  // Runs are sorted newest first, so `to` is the later one.
  const [to, from] = runs.map(({ run }) => run).filter((id) => chosen.includes(id));
  const { whole = [], tries = [] } = Object.groupBy(runs, ({ limit }) =>
    limit === null ? 'whole' : 'tries',
  );
  const compare = (run: RunFacts) =>
    isComparable(run) && (
      <input
        type="checkbox"
        aria-label={`Compare ${run.run}`}
        checked={chosen.includes(run.run)}
        onChange={({ currentTarget }) => choose(run.run, currentTarget.checked)}
      />
    );
  const cells = (run: RunFacts) => [
    ...(canCompare ? [compare(run)] : []),
    path === null || run.prunedAt !== null ? (
      run.run
    ) : (
      <a href={linkTo({ view: 'result', job: path, run: run.run })}>{run.run}</a>
    ),
    <Time key={run.run} at={run.startedAt} />,
    formatNumber(run.rows.total),
    percent(run.rows.matched, run.rows.total),
    spentText(run),
    endOf(run),
  ];
  const table = (label: string, some: readonly RunFacts[]) => (
    <PlainTable
      label={`${label} of ${title}`}
      heads={canCompare ? ['Compare', ...heads] : heads}
      rows={some.map(cells)}
    />
  );
  const folded = (label: string, some: readonly RunFacts[]) =>
    some.length > 0 && (
      <details>
        <summary>
          {[`${label}: ${formatNumber(some.length)}`, spentByAll(some)].filter(Boolean).join(', ')}
        </summary>
        {table(label, some)}
      </details>
    );
  return (
    <section class="card stack runs" aria-labelledby={`job-${name}`}>
      <h2 id={`job-${name}`}>
        <bdi>
          {path === null ? title : <a href={linkTo({ view: 'result', job: path })}>{title}</a>}
        </bdi>{' '}
        {path === null && <small>the job file is no longer in this folder</small>}
        {title !== name && (
          <small>
            called <bdi>{name}</bdi> in commands and result files
          </small>
        )}
      </h2>
      <Problem of={problem} />
      {runs.length > 1 && spent !== '' && (
        <p class="note">
          Spent in all {counted(runs.length, 'run')}: <b>{spent}</b>
        </p>
      )}
      {whole.length > 0 && table('Runs', whole.slice(0, shownAtOnce))}
      {folded('Earlier runs', whole.slice(shownAtOnce))}
      {folded('Trial runs of the first rows', tries)}
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

function isComparable({ endedAt, limit, prunedAt }: RunFacts) {
  return endedAt !== null && limit === null && prunedAt === null;
}

function TwoRuns(runs: { job: string; from: string; to: string }) {
  const { value, problem, isLoading } = useRequest<ChangesInsight>('changes', runs);
  return (
    <div aria-live="polite">
      <Problem of={problem} />
      {isLoading && <p class="wait">{`Comparing ${runs.to} with ${runs.from} …`}</p>}
      {!isLoading && value && !problem && <Changes {...value} />}
    </div>
  );
}

/** `stopped: budget spent` */
function endOf({ state, held, reason, prunedAt, exitCode }: RunFacts) {
  const words = {
    held: `held: ${held?.map(({ message }) => message).join('; ')}`,
    superseded: 'replaced by a newer run',
    finished: exitCode === 3 ? 'finished, some rows failed' : 'finished',
  };
  const why = reason ? `: ${reason.toLowerCase().replaceAll('_', ' ')}` : '';
  const end = words[state as keyof typeof words] ?? `${state}${why}`;
  return prunedAt === null ? end : `${end}, rows pruned`;
}

function SaveJob({ job }: { job: string }) {
  const [saved, setSaved] = useState<JobFile>();
  const { problem, attempt } = useAttempt();
  return (
    <details>
      <summary>Save as job file</summary>
      <Form
        class="row"
        onSend={(to) => {
          setSaved(undefined);
          attempt(async () => {
            setSaved(await request<JobFile>('job-file', { query: { job }, body: { to } }));
          });
        }}
      >
        <label class="field">
          Name <input type="text" name="to" defaultValue="nightly" />
        </label>
        <button type="submit">Save</button>
        <p role="status">
          {saved && (
            <>
              Saved. To run the job every night, schedule <code>dossier run {saved.path}</code>
            </>
          )}
        </p>
      </Form>
      <Problem of={problem} />
    </details>
  );
}
