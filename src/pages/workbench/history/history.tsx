import type { HistoryJob } from '../../../workbench/api/history.ts';
import { counted } from '../../parts/text/format.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { linkTo } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { JobRuns } from './job-runs.tsx';

/** The runs of every job of the folder, or of one. */
export function History({ job }: { readonly job: string | undefined }) {
  const { value, problem } = useLoaded('', (signal) => ask<HistoryJob[]>('history', { signal }));
  if (problem) return <Problem problem={problem} />;
  if (!value) return <p class="empty waiting">Reading the ledgers …</p>;
  const jobs = job === undefined ? value : value.filter(({ path }) => path === job);
  if (jobs.length === 0) {
    return (
      <>
        <h1 class="history-title">History</h1>
        <p class="empty card">
          Nothing has run here yet. <a href={linkTo({ view: 'lists' })}>Choose a list</a> and try
          ten rows of it: every run is listed here, with what it cost and what it changed.
        </p>
      </>
    );
  }
  return (
    <>
      <h1 class="history-title">History</h1>
      {job !== undefined && value.length > 1 && (
        <p>
          <a href={linkTo({ view: 'history' })}>
            All {counted(value.length, 'job', 'jobs')} of this folder
          </a>
        </p>
      )}
      {jobs.map((one) => (
        <JobRuns key={one.path ?? one.name} job={one} />
      ))}
    </>
  );
}
