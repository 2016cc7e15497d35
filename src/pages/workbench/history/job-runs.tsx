import { useState } from 'preact/hooks';
import type { HistoryJob, RunFacts } from '../../../workbench/api/history.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { MatchTrend } from './match-trend.tsx';
import { RunLine } from './run-line.tsx';
import { SaveJob } from './save-job.tsx';
import { TwoRuns } from './two-runs.tsx';

/** More are folded away: the newest are what is looked for. */
const shownAtOnce = 10;
/** Makes what scrolls reachable by the keyboard. */
const focusable = { tabIndex: 0 };

/** One job: how its match rate moves, its runs, and what differs between two of them. */
export function JobRuns({ job }: { readonly job: HistoryJob }) {
  const { path, name, runs, problem } = job;
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const comparable = runs.filter(isComparable);
  const choose = (id: string, isChosen: boolean) =>
    // The third choice takes the place of the first.
    setChosen((before) =>
      isChosen ? [...before.slice(-1), id] : before.filter((one) => one !== id),
    );
  const [from, to] = inOrder(runs, chosen);
  return (
    <section class="card job-runs" aria-labelledby={`job-${name}`}>
      <div class="job-head">
        <h2 id={`job-${name}`}>
          {path === null ? name : <a href={linkTo({ view: 'result', job: path })}>{name}</a>}
        </h2>
        {path === null && <small>its job file is no longer in this folder</small>}
        <MatchTrend runs={runs} />
      </div>
      {problem && <Problem problem={problem} />}
      {runs.length > 0 && (
        <section class="scroll" {...focusable} aria-label={`Runs of ${name}`}>
          <table class="runs">
            <thead>
              <tr>
                {comparable.length > 1 && <th scope="col">Compare</th>}
                <th scope="col">Run</th>
                <th scope="col">Started</th>
                <th scope="col">By</th>
                <th scope="col" class="number">
                  Rows
                </th>
                <th scope="col" class="number">
                  Matched
                </th>
                <th scope="col" class="number">
                  Spent
                </th>
                <th scope="col">How it ended</th>
              </tr>
            </thead>
            <tbody>
              {(isOpen ? runs : runs.slice(0, shownAtOnce)).map((run) => (
                <RunLine
                  key={run.run}
                  run={run}
                  job={path}
                  canCompare={comparable.length > 1 && isComparable(run)}
                  hasCompare={comparable.length > 1}
                  isChosen={chosen.includes(run.run)}
                  onChoose={(isChosen) => choose(run.run, isChosen)}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {runs.length > shownAtOnce && !isOpen && (
        <button type="button" onClick={() => setOpen(true)}>
          Show all {runs.length} runs
        </button>
      )}
      {path !== null && <SaveJob job={path} />}
      {path !== null && from !== undefined && to !== undefined && (
        <TwoRuns job={path} from={from} to={to} />
      )}
    </section>
  );
}

/** Finished, of the whole list, and still in the ledger. */
function isComparable({ endedAt, limit, prunedAt }: RunFacts): boolean {
  return endedAt !== null && limit === null && prunedAt === null;
}

/** The two chosen runs, the earlier one first. The runs are listed newest first. */
function inOrder(runs: readonly RunFacts[], chosen: readonly string[]): string[] {
  return runs
    .map(({ run }) => run)
    .filter((id) => chosen.includes(id))
    .reverse();
}
