import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, problemOf } from './api.ts';

export interface Loaded<Value> {
  /** The last value, also while the next is on its way. */
  readonly value: Value | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

const views = new Set<() => void>();
/** The state of the folder after the last change made by this view, which has loaded it already. */
let ownStamp: string | undefined;

export function skipOwnChange(stamp: string): void {
  ownStamp = stamp;
}

/** Loads what the views show once more, after another tab, a terminal or an editor has changed it. */
export function reloadViews(stamp: string): void {
  if (stamp === ownStamp) return;
  for (const reload of views) reload();
}

/**
 * Loads what a view shows, again whenever `key` changes, and after `againMs` if the value calls for it. An outdated
 * answer is dropped. A reload for changes made elsewhere shows nothing until it has found some.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  againMs: (value: Value) => number | false = () => false,
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
    load(signal).then(
      (value) =>
        put((before) => {
          const isSame = JSON.stringify(value) === JSON.stringify(before.value);
          if (isSame && !before.isLoading && !before.problem) return before;
          return { value: isSame ? before.value : value, problem: undefined, isLoading: false };
        }, againMs(value)),
      // What went wrong may be repaired at any time.
      (error) => {
        const problem = problemOf(error);
        put((before) => ({ ...before, problem, isLoading: false }), retryMs);
      },
    );
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

/** The value if it is up to date: undefined while it is loaded, null where that failed. */
export function currentOf<Value>({ value, problem, isLoading }: Loaded<Value>) {
  if (isLoading) return undefined;
  return problem ? null : value;
}

const retryMs = 2_000;
const nothing = { value: undefined, problem: undefined, isLoading: true };

/** Does what a button or a form starts, and keeps why it failed. */
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
