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

/** Loads what the views show once more, after another tab, a terminal or an editor has changed it. */
export function reloadViews(): void {
  for (const reload of views) reload();
}

/**
 * Loads what a view shows, again whenever `key` changes; an outdated answer is dropped. A reload for changes made elsewhere
 * shows nothing until it has found some.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [turn, setTurn] = useState({ number: 0, isQuiet: false });
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>(nothing);
  const loadedKey = useRef<string>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    const isQuiet = turn.isQuiet && loadedKey.current === key;
    loadedKey.current = key;
    if (!isQuiet) setState((before) => ({ ...before, isLoading: true }));
    load(leaving.signal).then(
      (value) => {
        if (leaving.signal.aborted) return;
        setState((before) => {
          const isSame = JSON.stringify(value) === JSON.stringify(before.value);
          if (isSame && !before.isLoading && !before.problem) return before;
          return { value: isSame ? before.value : value, problem: undefined, isLoading: false };
        });
      },
      (error) => {
        if (leaving.signal.aborted) return;
        setState((before) => ({ ...before, problem: problemOf(error), isLoading: false }));
      },
    );
    return () => leaving.abort();
  }, [key, turn]);
  const reload = useCallback(
    () => setTurn(({ number }) => ({ number: number + 1, isQuiet: false })),
    [],
  );
  useEffect(() => {
    const quietly = () => setTurn(({ number }) => ({ number: number + 1, isQuiet: true }));
    views.add(quietly);
    return () => void views.delete(quietly);
  }, []);
  return { ...state, reload };
}

const nothing = { value: undefined, problem: undefined, isLoading: true };
