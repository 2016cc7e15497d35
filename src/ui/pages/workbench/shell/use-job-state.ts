import { useEffect, useState } from 'preact/hooks';
import type { JobState } from '../../../workbench/api/runs.ts';
import { ask } from './api.ts';

export interface Watched {
  readonly state: JobState | undefined;
  /** The server does not answer; the run, if there is one, goes on without it. */
  readonly isLost: boolean;
}

const lookEveryMs = 700;
const lookWhenHiddenMs = 5_000;

/**
 * Where a job stands, from moment to moment. It is asked for again and again: a browser keeps six connections
 * to a server, and as many tabs that hold one open each would leave none for a stop.
 */
export function useJobState(job: string): Watched {
  const [watched, setWatched] = useState<Watched>({ state: undefined, isLost: false });
  useEffect(() => {
    setWatched({ state: undefined, isLost: false });
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout>;
    let seen = '';
    const look = async () => {
      clearTimeout(timer);
      try {
        const state = await ask<JobState>('state', { query: { job }, signal });
        const text = JSON.stringify(state);
        // The same state is not drawn again.
        if (text !== seen) setWatched({ state, isLost: false });
        seen = text;
      } catch {
        if (signal.aborted) return;
        seen = '';
        setWatched((before) => ({ ...before, isLost: true }));
      }
      if (!signal.aborted)
        timer = setTimeout(look, document.hidden ? lookWhenHiddenMs : lookEveryMs);
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
  return watched;
}
