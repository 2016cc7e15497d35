/** The end of the run as its calls see it: none leaves any more, an attempt in flight may finish. */
export function openRunStop() {
  const controller = new AbortController();
  const either = new WeakMap<AbortSignal, AbortSignal>();
  return {
    /** Aborts when the run stops; its reason is the error that stopped it. */
    signal: controller.signal,
    /** The first reason stays: what follows a stop is its consequence. */
    stop: (error: Error) => controller.abort(error),
    /** Aborts when the run stops or the signal does; one for all calls that share the signal. */
    or(signal: AbortSignal): AbortSignal {
      const known = either.get(signal);
      if (known) return known;
      const both = AbortSignal.any([signal, controller.signal]);
      either.set(signal, both);
      return both;
    },
  };
}

export type RunStop = ReturnType<typeof openRunStop>;
