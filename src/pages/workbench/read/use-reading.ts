import { useState } from 'preact/hooks';
import type { JobChoices, ListRead } from '../../../workbench/api/list-read.ts';
import type { MadeJob } from '../../../workbench/api/lists.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { renameRoute } from '../shell/route.ts';
import { type Loaded, useLoaded } from '../shell/use-loaded.ts';

/** Writes choices into the job, and reads the list anew. */
export type Choose = (choices: JobChoices) => void;

export interface Reading {
  readonly read: Loaded<ListRead>;
  /** Grows with every choice: what follows from them is asked for again. */
  readonly version: number;
  readonly isSaving: boolean;
  /** Why the last choice was refused. */
  readonly refusal: ApiProblem | undefined;
  readonly choose: Choose;
}

/** A list as it is read, and the choices that are made about it. */
export function useReading(job: string): Reading {
  const [version, setVersion] = useState(0);
  const [saving, setSaving] = useState(0);
  const [refusal, setRefusal] = useState<ApiProblem>();
  const read = useLoaded(`${version}`, (signal) =>
    ask<ListRead>('read', { query: { job }, signal }),
  );
  const choose: Choose = (choices) => {
    setRefusal(undefined);
    setSaving((before) => before + 1);
    ask<MadeJob>('job', { method: 'PATCH', query: { job }, body: choices })
      .then((made) => {
        // A bare list has a job file from the first choice on.
        if (made.job !== job) renameRoute({ view: 'read', job: made.job });
      })
      .catch((error) => setRefusal(problemOf(error)))
      .finally(() => {
        setSaving((before) => before - 1);
        setVersion((before) => before + 1);
      });
  };
  return { read, version, isSaving: saving > 0 || read.isLoading, refusal, choose };
}
