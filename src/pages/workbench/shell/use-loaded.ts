import { useCallback, useEffect, useState } from 'preact/hooks';
import { type ApiProblem, problemOf } from './api.ts';

export interface Loaded<Value> {
  /** The last value, also while the next is on its way. */
  readonly value: Value | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads what a view shows, anew whenever `key` changes; an answer that is no longer wanted is dropped. */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
): Loaded<Value> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>(nothing);
  useEffect(() => {
    const leaving = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    load(leaving.signal).then(
      (value) => {
        if (!leaving.signal.aborted) setState({ value, problem: undefined, isLoading: false });
      },
      (error) => {
        if (leaving.signal.aborted) return;
        setState((before) => ({ ...before, problem: problemOf(error), isLoading: false }));
      },
    );
    return () => leaving.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { ...state, reload };
}

const nothing = { value: undefined, problem: undefined, isLoading: true };
