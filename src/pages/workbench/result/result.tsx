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
import { useChoice } from './use-choice.ts';
import { progressMark } from './use-turns.ts';

interface ResultProps {
  readonly job: string;
  /** An earlier run than the newest. */
  readonly run?: string;
}

/** The rows of a run beside what was found for them, from its first second on. */
export function Result({ job, run }: ResultProps) {
  const watched = useJobState(job);
  const newest = watched.state?.run;
  const newestId = newest?.run.id;
  const isOld = run !== undefined && newestId !== undefined && run !== newestId;
  // Which columns there are is known when the list is read.
  const of = [job, run ?? newestId, newest?.run.state === 'reading'];
  const columns = useLoaded(JSON.stringify(of), async (signal) =>
    newest ? await ask<TableColumns>('columns', { query: { job, run }, signal }) : undefined,
  );
  const saved = useLoaded('presets', (signal) => ask<ColumnPreset[]>('presets', { signal }));
  const isRunning = watched.state?.isRunning === true;
  const [, change] = useChoice();
  const mending = useMending(job, isOld || !newest ? undefined : `${newestId} ${isRunning}`);
  const onAskedAgain = useAskAgain({ run: newest, isRunning, change });
  const mark = isOld ? undefined : progressMark(newest);
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
        <RunHead job={job} watched={watched} />
      )}
      {hasRows && columns.problem && !columns.value && <Problem problem={columns.problem} />}
      {hasRows && !known && !columns.problem && <p class="none late">Reading the rows …</p>}
      {hasRows && known && (
        <RowsView
          key={columns.value?.run ?? ''}
          job={job}
          run={run}
          known={known}
          mark={mark}
          isRunning={!isOld && isRunning}
          mending={mending}
          onAskedAgain={onAskedAgain}
          onPresetSaved={saved.reload}
        />
      )}
    </div>
  );
}
