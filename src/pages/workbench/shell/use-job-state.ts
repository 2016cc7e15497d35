import { useEffect, useState } from 'preact/hooks';
import type { JobState } from '../../../workbench/api/job-state.ts';
import { apiUrl } from './api.ts';

export interface Watched {
  readonly state: JobState | undefined;
  /** The server does not answer; the run, if there is one, goes on without it. */
  readonly isLost: boolean;
}

/** Where a job stands, from moment to moment. */
export function useJobState(job: string): Watched {
  const [watched, setWatched] = useState<Watched>({ state: undefined, isLost: false });
  useEffect(() => {
    setWatched({ state: undefined, isLost: false });
    const events = new EventSource(apiUrl('events', { job }));
    events.addEventListener('state', ({ data }: MessageEvent<string>) =>
      setWatched({ state: JSON.parse(data), isLost: false }),
    );
    events.onerror = () => setWatched((before) => ({ ...before, isLost: true }));
    return () => events.close();
  }, [job]);
  return watched;
}
