import type { RunChanges } from '../../../workbench/api/history.ts';
import { Changes } from '../../parts/changes/changes.tsx';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { useLoaded } from '../shell/use-loaded.ts';

interface TwoRunsProps {
  readonly job: string;
  readonly from: string;
  readonly to: string;
}

/** What differs between two runs: by kind and field, down to the row. */
export function TwoRuns({ job, from, to }: TwoRunsProps) {
  const { value, problem, isLoading } = useLoaded(`${job} ${from} ${to}`, (signal) =>
    ask<RunChanges>('changes', { query: { job, from, to }, signal }),
  );
  if (problem) return <Problem problem={problem} />;
  return (
    <div aria-live="polite">
      {isLoading && (
        <p class="empty waiting">
          Comparing {to} with {from} …
        </p>
      )}
      {!isLoading && value && <Changes changes={value.changes} />}
    </div>
  );
}
