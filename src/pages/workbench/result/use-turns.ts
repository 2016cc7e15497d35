import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunProgress } from '../../../workbench/api/job-state.ts';

/** Different whenever rows of the run may look otherwise than before. */
export function progressMark(run: RunProgress | null | undefined): string | undefined {
  if (!run) return undefined;
  const { rows, calls, people } = run;
  return JSON.stringify([run.run.id, run.run.state, run.run.held, rows, calls, people]);
}

/** Counts up when the mark changes, but not more often than this, and always after its last change. */
export function useTurns(mark: string | undefined, everyMs: number): number {
  const [turn, setTurn] = useState(0);
  const first = useRef(mark);
  const last = useRef(0);
  useEffect(() => {
    first.current ??= mark;
    if (mark === undefined || mark === first.current) return undefined;
    const wait = Math.max(0, last.current + everyMs - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      first.current = '';
      setTurn((before) => before + 1);
    }, wait);
    return () => clearTimeout(timer);
  }, [mark]);
  return turn;
}
