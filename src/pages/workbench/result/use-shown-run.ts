import { useRef } from 'preact/hooks';
import type { RunProgress } from '../../../workbench/api/job-state.ts';

/**
 * The run whose rows are shown. A newer one takes its place when it has read the list: until then it has fewer
 * rows, and whoever looks at the table would lose the place.
 */
export function useShownRun(newest: RunProgress | null | undefined): string | undefined {
  const shown = useRef<string>(undefined);
  if (newest && (shown.current === undefined || newest.run.state !== 'reading')) {
    shown.current = newest.run.id;
  }
  return shown.current;
}
