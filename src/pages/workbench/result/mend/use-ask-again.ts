import { useEffect, useState } from 'preact/hooks';
import type { ReportData } from '../../../../report/data/report-data.ts';
import type { ChangeChoice } from '../use-choice.ts';

interface Watch {
  readonly run: ReportData | null | undefined;
  readonly isRunning: boolean;
  readonly change: ChangeChoice;
}

/** Shows what came of the mended rows as soon as they were asked for: nothing else has changed then. */
export function useAskAgain({ run, isRunning, change }: Watch): () => void {
  /** The run that was the newest when the mended rows were asked for. */
  const [before, setBefore] = useState<string>();
  const id = run?.run.id;
  useEffect(() => {
    if (before === undefined || isRunning || !run || id === before) return;
    const isGood = run.run.state === 'finished' && run.run.held.length === 0;
    if (isGood) change({ search: '', facets: { changed: ['yes'] }, row: null, at: null });
    setBefore(undefined);
  }, [before, id, isRunning, run?.run.state]);
  return () => setBefore(id);
}
