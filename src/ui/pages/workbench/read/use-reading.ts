import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FolderState, JobChoices, ListRead, MadeJob } from '../../../workbench/api.ts';
import { type ApiProblem, problemOf, request } from '../../parts/api.ts';
import { skipOwnChange, useLoaded } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
import { applyChoices } from './roles.ts';

/** Writes choices into the job, and reads the list anew. */
export type Choose = (choices: JobChoices) => void;

/** A choice that is not in what was read last. */
interface Pending {
  readonly choices: JobChoices;
  /** The first version that has it; undefined until it is written. */
  readonly since: number | undefined;
}

/** A list as it is read, and the choices that are made about it. */
export function useReading(job: string) {
  const [version, setVersion] = useState(0);
  const [pending, setPending] = useState<readonly Pending[]>([]);
  const [refusal, setRefusal] = useState<ApiProblem>();
  const written = useRef<Promise<void>>(Promise.resolve());
  const writes = useRef(0);
  /** A bare list gets a job file with the first choice, and stays the same list. */
  const names = useRef(new Set<string>());
  const [shown, setShown] = useState<readonly string[]>([]);
  const columns = shown.length === 0 ? undefined : JSON.stringify(shown);
  const loaded = useLoaded(`${job} ${version} ${columns}`, async (signal) => {
    const list = await request<ListRead>('read', { query: { job, columns }, signal });
    return { list, version };
  });
  const { value } = loaded;
  const isOfJob = value && (value.list.job === job || names.current.has(value.list.job));
  // What could not be read anew is no longer on its way, either.
  const seen = loaded.problem ? version : (value?.version ?? 0);
  useEffect(() => {
    setPending((before) => before.filter(({ since }) => since === undefined || since > seen));
  }, [value, loaded.problem]);

  const choose: Choose = (choices) => {
    const made: Pending = { choices, since: undefined };
    setRefusal(undefined);
    setPending((before) => [...before, made]);
    const write = async () => {
      const change = { method: 'PATCH', query: { job }, body: choices } as const;
      const { job: file } = await request<MadeJob>('job', change);
      const folder = await request<FolderState>('folder', { query: { job: file } });
      skipOwnChange(folder.stamp);
      if (file === job) return;
      names.current.add(job);
      location.replace(linkTo({ view: 'read', job: file }));
    };
    const settle = () => {
      writes.current += 1;
      const since = writes.current;
      setPending((before) => before.map((one) => (one === made ? { choices, since } : one)));
      setVersion(since);
    };
    written.current = written.current
      .then(write)
      .catch((error) => setRefusal(problemOf(error)))
      .finally(settle);
  };
  const read = useMemo(() => {
    if (!value || !isOfJob) return undefined;
    return pending.reduce((list, { choices }) => applyChoices(list, choices), value.list);
  }, [value, isOfJob, pending]);
  return {
    /** With choices that are still on their way to the job file. */
    read,
    /** Why the list cannot be read. */
    problem: loaded.problem,
    /** Grows with every choice that is written: what follows from them is loaded again. */
    version,
    isBusy: pending.length > 0 || loaded.isLoading,
    /** Why the last choice was refused. */
    refusal,
    choose,
    /** Columns of a wide list that the user has looked for, beside the first. */
    shown,
    show: (column: string) => setShown((before) => [...before, column]),
  };
}
