export interface RunStop {
  /** Aborts when the run stops; its reason is the error that stopped it. */
  readonly signal: AbortSignal;
  /** The first reason stays: what follows a stop is its consequence. */
  stop(error: Error): void;
  /** Aborts when the run stops or the signal does; one for all calls that share the signal. */
  or(signal: AbortSignal): AbortSignal;
}

/** The end of the run as its calls see it: none leaves any more, an attempt in flight may finish. */
export function openRunStop(): RunStop {
  const controller = new AbortController();
  const either = new WeakMap<AbortSignal, AbortSignal>();
  return {
    signal: controller.signal,
    stop: (error) => controller.abort(error),
    or: (signal) => {
      const known = either.get(signal);
      if (known) return known;
      const both = AbortSignal.any([signal, controller.signal]);
      either.set(signal, both);
      return both;
    },
  };
}
