import { useEffect, useState } from 'preact/hooks';
import type { JobState } from '../../../workbench/api/job-state.ts';
import { apiUrl } from './api.ts';

export interface Watched {
  readonly state: JobState | undefined;
  /** The server does not answer; the run, if there is one, goes on without it. */
  readonly isLost: boolean;
}

const askAgainMs = 2_000;

/** Where a job stands, from moment to moment. */
export function useJobState(job: string): Watched {
  const [watched, setWatched] = useState<Watched>({ state: undefined, isLost: false });
  useEffect(() => {
    setWatched({ state: undefined, isLost: false });
    let events: EventSource;
    let timer: ReturnType<typeof setTimeout>;
    const listen = () => {
      events = new EventSource(apiUrl('events', { job }));
      events.addEventListener('state', ({ data }: MessageEvent<string>) =>
        setWatched({ state: JSON.parse(data), isLost: false }),
      );
      events.onerror = () => {
        setWatched((before) => ({ ...before, isLost: true }));
        // A browser does not ask again after a refusal, such as that of a broken job file.
        if (events.readyState === EventSource.CLOSED) timer = setTimeout(listen, askAgainMs);
      };
    };
    listen();
    return () => {
      clearTimeout(timer);
      events.close();
    };
  }, [job]);
  return watched;
}
