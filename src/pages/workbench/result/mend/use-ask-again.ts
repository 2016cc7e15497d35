import { useEffect, useState } from 'preact/hooks';
import type { RunProgress } from '../../../../workbench/api/job-state.ts';

/** What came of the mended rows that were asked for. */
export interface AskedAgain {
  /** Rows that were asked for. */
  readonly rows: number;
  /** Rows more than before that have a company. */
  readonly matched: number;
}

export interface AskAgain {
  /** The mended rows are being asked for. */
  begin(rows: number): void;
  readonly done: AskedAgain | undefined;
  forget(): void;
}

interface Watch {
  readonly run: RunProgress | null | undefined;
  readonly isRunning: boolean;
}

/** Tells what came of the mended rows as soon as they were asked for, wherever the user is then. */
export function useAskAgain({ run, isRunning }: Watch): AskAgain {
  /** The run that was the newest when they were asked for. */
  const [before, setBefore] = useState<{ id: string; rows: number; matched: number }>();
  const [done, setDone] = useState<AskedAgain>();
  const id = run?.run.id;
  useEffect(() => {
    if (before === undefined || isRunning || !run || id === before.id) return;
    const isGood = run.run.state === 'finished' && run.run.held.length === 0;
    if (isGood) setDone({ rows: before.rows, matched: run.rows.matched - before.matched });
    setBefore(undefined);
  }, [before, id, isRunning, run?.run.state]);
  return {
    begin(rows) {
      setDone(undefined);
      if (run) setBefore({ id: run.run.id, rows, matched: run.rows.matched });
    },
    done,
    forget: () => setDone(undefined),
  };
}
