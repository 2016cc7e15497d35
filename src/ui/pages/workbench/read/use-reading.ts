import { useMemo, useRef, useState } from 'preact/hooks';
import type { ListRead, MadeJob } from '../../../workbench/api/answers.ts';
import type { JobChoices } from '../../../workbench/api/requests.ts';
import { type ApiProblem, problemOf, request } from '../../parts/api.ts';
import { skipOwnChange, useLoaded } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
import { applyChoices } from './roles.ts';

export interface ListReading {
  read: ListRead;
  /** Writes choices to the job and reads the list again. */
  choose(choices: JobChoices): void;
}

export function useReading(job: string) {
  const [choices, setChoices] = useState<readonly JobChoices[]>([]);
  /** Number of choices that were written or refused. */
  const [version, setVersion] = useState(0);
  const [refusal, setRefusal] = useState<ApiProblem>();
  const written = useRef<Promise<unknown>>(Promise.resolve());
  /** Earlier paths of this list: its path changes when the first choice writes a job file. */
  const names = useRef(new Set<string>());
  const { value, problem, isLoading } = useLoaded(`${job} ${version}`, async (signal) => {
    const list = await request<ListRead>('read', { query: { job }, signal });
    return { list, version };
  });
  const isOfJob = value && (value.list.job === job || names.current.has(value.list.job));
  const choose = (choice: JobChoices) => {
    setRefusal(undefined);
    names.current.add(job);
    setChoices((before) => [...before, choice]);
    const write = async () => {
      const change = { method: 'PATCH', query: { job }, body: choice } as const;
      const { job: file } = await request<MadeJob>('job', change);
      // Another sheet is another list, which may have a job of its own.
      if (choice.sheet && file !== job) location.replace(linkTo({ view: 'read', job: file }));
      await skipOwnChange(file);
    };
    written.current = written.current
      .then(write)
      .catch((error) => setRefusal(problemOf(error)))
      .finally(() => setVersion((before) => before + 1));
  };
  const seen = problem ? version : (value?.version ?? 0);
  const read = useMemo(
    () => (isOfJob ? choices.slice(seen).reduce(applyChoices, value.list) : undefined),
    [value, isOfJob, choices, seen],
  );
  return {
    /** Includes choices that are not written yet. */
    read,
    problem,
    version,
    isBusy: choices.length > seen || isLoading,
    refusal,
    choose,
  };
}
