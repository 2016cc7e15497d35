import type { RunFacts } from '../../../workbench/api/history.ts';
import { count, duration, moment, percent } from '../../parts/text/format.ts';
import { amounts } from '../shell/amounts.ts';
import { linkTo } from '../shell/route.ts';

interface RunLineProps {
  readonly run: RunFacts;
  readonly job: string | null;
  /** Whether there is a column to choose runs by, and whether this one can be chosen. */
  readonly hasCompare: boolean;
  readonly canCompare: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

export function RunLine(props: RunLineProps) {
  const { run, job, hasCompare, canCompare, isChosen, onChoose } = props;
  const { run: id, startedAt, seconds, rows, money, prunedAt } = run;
  return (
    <tr>
      {hasCompare && (
        <td>
          <input
            type="checkbox"
            aria-label={`Compare ${id}`}
            checked={isChosen}
            disabled={!canCompare}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
          />
        </td>
      )}
      <td>
        {job === null || prunedAt !== null ? (
          id
        ) : (
          <a href={linkTo({ view: 'result', job, run: id })}>{id}</a>
        )}
      </td>
      <td>
        {moment(Date.parse(startedAt))}
        {seconds !== null && run.state !== 'running' && <small> {duration(seconds * 1_000)}</small>}
      </td>
      <td>{starterOf(run)}</td>
      <td class="number">{count(rows.total)}</td>
      <td class="number">{percent(rows.matched, rows.total)}</td>
      <td class="number">
        {run.sampleData
          ? 'sample data'
          : [...amounts(money), `${count(run.requests)} requests`].join(', ')}
      </td>
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
function endOf(run: RunFacts): string {
  const { state, held, reason, limit, prunedAt, exitCode } = run;
  const rest = [
    limit === null ? '' : `a try of ${count(limit)} rows`,
    prunedAt === null ? '' : 'its rows are pruned',
  ].filter(Boolean);
  const end = () => {
    if (state === 'superseded') return 'left for a newer run';
    if (state === 'held') return `held: ${held?.map(({ message }) => message).join('; ')}`;
    if (state === 'stopped' || state === 'incomplete' || state === 'undelivered')
      return reasons[reason ?? ''] ?? reason ?? state;
    return state === 'finished' && exitCode === 3 ? 'finished, some rows failed' : state;
  };
  return [end(), ...rest].join(', ');
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
