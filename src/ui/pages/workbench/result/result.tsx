import { useRef } from 'preact/hooks';
import type { ColumnPreset, TableColumns } from '../../../workbench/api/rows.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { useJobState } from '../shell/use-job-state.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { RunHead } from './run-head.tsx';
import { TableView } from './table-view.tsx';
import { useChoice } from './use-choice.ts';

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
  const [{ isPeople }] = useChoice();
  const newest = watched.state?.run;
  // A newer run takes the place of the one shown when it has read the list: until then it has fewer rows.
  const followed = useRef<string>(undefined);
  if (newest && (followed.current === undefined || newest.phase !== 'reading')) {
    followed.current = newest.run;
  }
  const shownRun = run ?? followed.current;
  const isOld = run !== undefined && newest != null && run !== newest.run;
  // Which columns there are is known when the list is read.
  const isReading = shownRun === newest?.run && newest?.phase === 'reading';
  const key = JSON.stringify([job, shownRun, isReading, isPeople]);
  const columns = useLoaded(key, async (signal) => {
    if (!newest) return;
    const query = { job, run: shownRun };
    const body = { table: isPeople ? 'people' : undefined };
    const asked = { method: 'POST', query, body, signal } as const;
    return { isPeople, ...(await ask<TableColumns>('columns', asked)) };
  });
  const saved = useLoaded('presets', (signal) => ask<ColumnPreset[]>('presets', { signal }));
  const found = columns.value;
  const names = new Set(found?.columns.map(({ name }) => name));
  const own = saved.value?.filter((preset) => preset.columns.some((name) => names.has(name))) ?? [];
  // Columns of the other table are of no use while those of this one are on their way.
  const known =
    found?.isPeople === isPeople ? { ...found, presets: [...found.presets, ...own] } : undefined;
  return (
    <div class="result">
      {isOld ? (
        <section class="run-head" aria-label="The run">
          <h1 class="run-title">Run {run}, an earlier one</h1>
          <p class="run-facts">
            The newest is <a href={linkTo({ view: 'result', job })}>{newest.run}</a>.
          </p>
        </section>
      ) : (
        <RunHead job={job} watched={watched} isReadOnly={isReadOnly} />
      )}
      {newest && columns.problem && !columns.value && <Problem problem={columns.problem} />}
      {newest && !known && !columns.problem && <p class="none late">Reading the rows …</p>}
      {newest && known && (
        <TableView
          {...{ job, known, newest }}
          run={shownRun}
          isRunning={!isOld && watched.state?.isRunning === true}
          canFix={!isOld && !isReadOnly}
          onPresetSaved={saved.reload}
        />
      )}
    </div>
  );
}
