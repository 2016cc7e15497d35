import { useRef } from 'preact/hooks';
import type { ColumnPreset, JobState, TableColumns } from '../../../workbench/api.ts';
import { request } from '../../parts/api.ts';
import { Problem } from '../../parts/controls.tsx';
import { useLoaded } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
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
  // Polled: a browser keeps six connections to a server, and tabs that each hold one open would leave none for a stop.
  const watched = useLoaded(
    job,
    (signal) => request<JobState>('state', { query: { job }, signal }),
    () => 700,
  );
  const { isPeople } = useChoice();
  const newest = watched.value?.run;
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
    const options = { method: 'POST', query, body, signal } as const;
    return { isPeople, ...(await request<TableColumns>('columns', options)) };
  });
  const saved = useLoaded('presets', (signal) => request<ColumnPreset[]>('presets', { signal }));
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
          <h1>Run {run}, an earlier one</h1>
          <p class="note">
            The newest is <a href={linkTo({ view: 'result', job })}>{newest.run}</a>.
          </p>
        </section>
      ) : (
        <RunHead job={job} watched={watched} isReadOnly={isReadOnly} />
      )}
      {newest && !columns.value && <Problem of={columns.problem} />}
      {newest && !known && !columns.problem && <p class="muted late">Reading the rows …</p>}
      {newest && known && (
        <TableView
          {...{ job, known, newest }}
          run={shownRun}
          isRunning={!isOld && watched.value?.isRunning === true}
          canFix={!isOld && !isReadOnly}
          onPresetSaved={saved.reload}
        />
      )}
    </div>
  );
}
