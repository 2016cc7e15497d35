import type { ColumnPreset, TableColumns } from '../../../workbench/api/rows.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { useJobState } from '../shell/use-job-state.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { RunHead } from './head/run-head.tsx';
import { useAskAgain } from './mend/use-ask-again.ts';
import { useMending } from './mend/use-mending.ts';
import { RowsView } from './rows-view.tsx';
import { useShownRun } from './use-shown-run.ts';
import { progressMark } from './use-turns.ts';

interface ResultProps {
  readonly job: string;
  /** An earlier run than the newest. */
  readonly run?: string;
  /** The page only shows a run, and ends with it. */
  readonly isReadOnly: boolean;
}

/** The rows of a run beside what was found for them, from its first second on. */
export function Result({ job, run, isReadOnly }: ResultProps) {
  const watched = useJobState(job);
  const newest = watched.state?.run;
  const newestId = newest?.run.id;
  const followed = useShownRun(newest);
  const shownRun = run ?? followed;
  const isOld = run !== undefined && newestId !== undefined && run !== newestId;
  // Which columns there are is known when the list is read.
  const isReading = shownRun === newestId && newest?.run.state === 'reading';
  const of = [job, shownRun, isReading];
  const columns = useLoaded(JSON.stringify(of), async (signal) =>
    newest
      ? await ask<TableColumns>('columns', { query: { job, run: shownRun }, signal })
      : undefined,
  );
  const saved = useLoaded('presets', (signal) => ask<ColumnPreset[]>('presets', { signal }));
  const isRunning = watched.state?.isRunning === true;
  const mending = useMending(
    job,
    isOld || isReadOnly || !newest ? undefined : `${newestId} ${isRunning}`,
  );
  const askAgain = useAskAgain({ run: newest, isRunning });
  const mark = shownRun === newestId ? progressMark(newest) : undefined;
  const hasRows = newest !== undefined && newest !== null;
  const known = columns.value && {
    ...columns.value,
    presets: [...columns.value.presets, ...(saved.value ?? [])],
  };
  return (
    <div class="result">
      {isOld ? (
        <section class="run-head" aria-label="The run">
          <h1 class="run-title">Run {run}, an earlier one</h1>
          <p class="run-facts">
            The newest is <a href={linkTo({ view: 'result', job })}>{newestId}</a>.
          </p>
        </section>
      ) : (
        <RunHead job={job} watched={watched} isReadOnly={isReadOnly} />
      )}
      {hasRows && columns.problem && !columns.value && <Problem problem={columns.problem} />}
      {hasRows && !known && !columns.problem && <p class="none late">Reading the rows …</p>}
      {hasRows && known && (
        <RowsView
          job={job}
          run={shownRun}
          known={known}
          mark={mark}
          isRunning={!isOld && isRunning}
          mending={mending}
          askAgain={askAgain}
          onPresetSaved={saved.reload}
        />
      )}
    </div>
  );
}
