import { useEffect, useState } from 'preact/hooks';
import type { FolderState } from '../../../workbench/api/lists.ts';
import { type ApiProblem, ask, problemOf } from './api.ts';
import { reloadViews } from './use-loaded.ts';

const lookEveryMs = 2_000;

/** Where the page is. Every two seconds it looks whether anything has changed, and lets the views load again. */
export function usePlace(job: string | undefined) {
  const [place, setPlace] = useState<FolderState>();
  const [problem, setProblem] = useState<ApiProblem>();
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout>;
    let stamp: string | undefined;
    const look = async () => {
      clearTimeout(timer);
      try {
        const found = await ask<FolderState>('folder', { query: { job }, signal });
        setProblem(undefined);
        if (found.stamp !== stamp) setPlace(found);
        if (stamp !== undefined && found.stamp !== stamp) reloadViews();
        stamp = found.stamp;
      } catch (error) {
        if (signal.aborted) return;
        // Once the server is back, every view may have changed.
        stamp = '';
        setProblem(problemOf(error));
      }
      if (!signal.aborted) timer = setTimeout(look, lookEveryMs);
    };
    const onShown = () => {
      if (!document.hidden) void look();
    };
    document.addEventListener('visibilitychange', onShown);
    void look();
    return () => {
      document.removeEventListener('visibilitychange', onShown);
      clearTimeout(timer);
      leaving.abort();
    };
  }, [job]);
  return { place, problem };
}
