import { useRef } from 'preact/hooks';
import type { JobState, TableColumns } from '../../../workbench/api/answers.ts';
import { request } from '../../parts/api.ts';
import { Problem } from '../../parts/controls.tsx';
import { useLoaded, useRequest } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
import { useSettings } from '../settings.tsx';
import { Outputs, RunHead } from './run-head.tsx';
import { TableView } from './table-view.tsx';
import { useChoice } from './use-choice.ts';

/** `run` is set for an earlier run. */
export function Result({ job, run }: { job: string; run?: string }) {
  // Polls, because a browser allows six connections per server: six streams would block Stop.
  const watched = useRequest<JobState>('state', { job }, '', () => 700);
  const { isPeople } = useChoice();
  const newest = watched.value?.run;
  // While a new run reads the list it has fewer rows, so the previous run stays.
  const followed = useRef<string>(undefined);
  if (newest && (followed.current === undefined || newest.phase !== 'reading')) {
    followed.current = newest.run;
  }
  const shownRun = run ?? followed.current;
  const isOld = run !== undefined && newest != null && run !== newest.run;
  // The columns are known only after the list has been read.
  const isReading = shownRun === newest?.run && newest?.phase === 'reading';
  const key = JSON.stringify([job, shownRun, isReading, isPeople, !newest]);
  const columns = useLoaded(key, async (signal) => {
    if (!newest) return;
    const query = { job, run: shownRun };
    const body = { table: isPeople ? 'people' : undefined };
    return { isPeople, ...(await request<TableColumns>('columns', { query, body, signal })) };
  });
  const settings = useSettings();
  const found = columns.value;
  const names = new Set(found?.columns.map(({ name }) => name));
  const own = settings.value?.presets.filter(({ columns: [name = ''] }) => names.has(name)) ?? [];
  // While columns load, `found` may still have those of the other table.
  const known =
    found?.isPeople === isPeople ? { ...found, presets: [...found.presets, ...own] } : undefined;
  return (
    <div class="result">
      {isOld ? (
        <section class="run-head" aria-label="The run">
          <h1>Run {run}, an earlier run</h1>
          <p class="note">
            The newest run is <a href={linkTo({ view: 'result', job })}>{newest.run}</a>. Companies
            suppressed since run {run} are hidden here; History still counts them as found.
          </p>
          <Outputs job={job} run={run} />
        </section>
      ) : (
        <RunHead job={job} watched={watched}>
          {newest && !watched.value?.isRunning && (
            <Outputs key={newest.state} job={job} run={newest.run} />
          )}
        </RunHead>
      )}
      {newest && !columns.value && <Problem of={columns.problem} />}
      {newest && !known && !columns.problem && <p class="muted late">Reading the rows …</p>}
      {newest && known && (
        <TableView
          {...{ job, known, newest }}
          run={shownRun}
          isRunning={!isOld && watched.value?.isRunning === true}
          canFix={!isOld}
          onPresetSaved={settings.reload}
        />
      )}
    </div>
  );
}
