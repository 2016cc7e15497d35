import type { HistoryRun } from '../../../workbench/api/history.ts';
import { count, duration, moment, percent } from '../../parts/text/format.ts';
import { amounts } from '../shell/amounts.ts';
import { linkTo } from '../shell/route.ts';

interface RunLineProps {
  readonly run: HistoryRun;
  readonly job: string | null;
  readonly canCompare: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

export function RunLine({ run, job, canCompare, isChosen, onChoose }: RunLineProps) {
  const { id, startedAt, seconds, rows, matched, money, requests, isPruned } = run;
  return (
    <tr>
      {canCompare && (
        <td>
          <input
            type="checkbox"
            aria-label={`Compare ${id}`}
            checked={isChosen}
            disabled={!run.isComparable}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
          />
        </td>
      )}
      <td>
        {job === null || isPruned ? (
          id
        ) : (
          <a href={linkTo({ view: 'result', job, run: id })}>{id}</a>
        )}
      </td>
      <td>
        {moment(startedAt)}
        {seconds !== null && <small> {duration(seconds * 1_000)}</small>}
      </td>
      <td>{starterOf(run)}</td>
      <td class="number">{count(rows)}</td>
      <td class="number">{percent(matched, rows)}</td>
      <td class="number">
        {run.isSample
          ? 'sample data'
          : [...amounts(money), `${count(requests)} requests`].join(', ')}
      </td>
      <td>{endOf(run)}</td>
    </tr>
  );
}

const starters = { page: 'this page', terminal: 'terminal', script: 'schedule' } as const;

function starterOf({ startedBy, host }: HistoryRun): string {
  const by = startedBy === null ? '' : starters[startedBy];
  return host === null ? by : `${by} on ${host}`;
}

/** How a run ended, in words. */
function endOf(run: HistoryRun): string {
  const { state, held, reason, limit, isPruned, exitCode } = run;
  const rest = [
    limit === null ? '' : `a try of ${count(limit)} rows`,
    isPruned ? 'its rows are pruned' : '',
  ].filter(Boolean);
  const end = () => {
    if (state === 'running') return 'running';
    if (state === 'superseded') return 'left for a newer run';
    if (state === 'interrupted') return reason === null ? 'killed' : (reasons[reason] ?? reason);
    if (held.length > 0) return `held: ${held.join('; ')}`;
    return exitCode === 3 ? 'finished, some rows failed' : 'finished';
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
