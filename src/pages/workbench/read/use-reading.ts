import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JobChoices, ListRead } from '../../../workbench/api/list-read.ts';
import type { MadeJob } from '../../../workbench/api/lists.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { renameRoute } from '../shell/route.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { applyChoices } from './apply-choices.ts';

/** Writes choices into the job, and reads the list anew. */
export type Choose = (choices: JobChoices) => void;

export interface Reading {
  /** With choices that are still on their way to the job file. */
  readonly read: ListRead | undefined;
  /** Why the list cannot be read. */
  readonly problem: ApiProblem | undefined;
  /** Grows with every choice that is written: what follows from them is asked for again. */
  readonly version: number;
  readonly isBusy: boolean;
  /** Why the last choice was refused. */
  readonly refusal: ApiProblem | undefined;
  readonly choose: Choose;
}

/** A list as it is read, and the choices that are made about it. */
export function useReading(job: string): Reading {
  const [version, setVersion] = useState(0);
  const [pending, setPending] = useState<readonly JobChoices[]>([]);
  const [refusal, setRefusal] = useState<ApiProblem>();
  const written = useRef<Promise<void>>(Promise.resolve());
  /** A bare list gets a job file with the first choice, and stays the same list. */
  const names = useRef(new Set<string>());
  const loaded = useLoaded(`${job} ${version}`, (signal) =>
    ask<ListRead>('read', { query: { job }, signal }),
  );
  const { value } = loaded;
  const isOfJob = value && (value.job === job || names.current.has(value.job));
  // What was read last has every choice in it that was written before.
  useEffect(() => setPending([]), [value]);

  const choose: Choose = (choices) => {
    setRefusal(undefined);
    setPending((before) => [...before, choices]);
    const write = async () => {
      const made = await ask<MadeJob>('job', { method: 'PATCH', query: { job }, body: choices });
      if (made.job === job) return;
      names.current.add(job);
      renameRoute({ view: 'read', job: made.job });
    };
    written.current = written.current
      .then(write)
      .catch((error) => setRefusal(problemOf(error)))
      .finally(() => setVersion((before) => before + 1));
  };
  const read = useMemo(
    () => (value && isOfJob ? pending.reduce(applyChoices, value) : undefined),
    [value, isOfJob, pending],
  );
  const isBusy = pending.length > 0 || loaded.isLoading;
  return { read, problem: loaded.problem, version, isBusy, refusal, choose };
}
