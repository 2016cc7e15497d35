import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { FolderState } from '../../workbench/api/answers.ts';
import { type ApiProblem, problemOf, type Query, request } from './api.ts';

export interface Loaded<Value> {
  /** Keeps the previous value while the next one is loaded. */
  readonly value: Value | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

const views = new Set<() => void>();
/** The folder's stamp after this page's own change, which needs no reload. */
let ownStamp: string | undefined;

export async function skipOwnChange(job: string) {
  ownStamp = (await request<FolderState>('folder', { query: { job } })).stamp;
}

/** Shows changes made by another tab, a terminal or an editor. */
export function reloadViews(stamp: string): void {
  if (stamp === ownStamp) return;
  for (const reload of views) reload();
}

/** A reload for changes made elsewhere shows no loading state. */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  againMs: (value: Value) => number | false = () => false,
  /** A key that changes meanwhile is never asked for. */
  pauseMs = 0,
): Loaded<Value> {
  const [turn, setTurn] = useState({ isQuiet: false });
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>(nothing);
  const loadedKey = useRef<string>(undefined);
  const reload = useCallback(() => setTurn({ isQuiet: false }), []);
  const reloadQuietly = useCallback(() => setTurn({ isQuiet: true }), []);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isQuiet = turn.isQuiet && loadedKey.current === key;
    loadedKey.current = key;
    if (!isQuiet) setState((before) => ({ ...before, isLoading: true }));
    const put = (next: (before: typeof state) => typeof state, waitMs: number | false) => {
      if (signal.aborted) return;
      setState(next);
      if (waitMs !== false) timer = setTimeout(reloadQuietly, waitMs);
    };
    const start = () =>
      load(signal).then(
        (value) =>
          put((before) => {
            const isSame = JSON.stringify(value) === JSON.stringify(before.value);
            if (isSame && !before.isLoading && !before.problem) return before;
            return { value: isSame ? before.value : value, problem: undefined, isLoading: false };
          }, againMs(value)),
        // The cause may be fixed at any time. If Dossier names it, it is mostly in the folder, whose changes reload.
        (error) => {
          const problem = problemOf(error);
          const waitMs = problem.code === undefined || problem.code === 'BUG' ? retryMs : namedMs;
          put((before) => ({ ...before, problem, isLoading: false }), waitMs);
        },
      );
    if (pauseMs > 0) timer = setTimeout(start, pauseMs);
    else void start();
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key, turn]);
  useEffect(() => {
    views.add(reloadQuietly);
    return () => void views.delete(reloadQuietly);
  }, []);
  return { ...state, reload };
}

export function useRequest<Value>(
  path: string,
  query: Query | null = {},
  version?: unknown,
  againMs: (value: Value) => number | false = () => false,
  pauseMs?: number,
) {
  return useLoaded(
    JSON.stringify([path, query, version]),
    async (signal) => (query ? await request<Value>(path, { query, signal }) : undefined),
    (value) => value !== undefined && againMs(value),
    pauseMs,
  );
}

export function currentOf<Value>({ value, problem, isLoading }: Loaded<Value>) {
  if (isLoading) return undefined;
  return problem ? null : value;
}

const retryMs = 2_000;
const namedMs = 30_000;
const nothing = { value: undefined, problem: undefined, isLoading: true };

/** Keyboard users who come from another view continue at the heading. */
export function useHeadingFocus(shown: unknown) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [shown]);
  return heading;
}

export function useAttempt() {
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  const attempt = (work: () => Promise<unknown>) => {
    setProblem(undefined);
    setBusy(true);
    work()
      .catch((error) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  return { problem, isBusy, attempt };
}
