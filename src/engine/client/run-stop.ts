/** After a stop, no new request is sent. Requests in flight may finish. */
export interface RunStop {
  readonly signal: AbortSignal;
  stop(error: Error): void;
  /** Aborts at a stop, or with the given signal. */
  or(signal: AbortSignal): AbortSignal;
}

export function createRunStop(): RunStop {
  const controller = new AbortController();
  const either = new WeakMap<AbortSignal, AbortSignal>();
  return {
    signal: controller.signal,
    stop: (error: Error) => controller.abort(error),
    or(signal) {
      const known = either.get(signal);
      if (known) return known;
      // `AbortSignal.any` looks at each of its signals whenever `aborted` is read.
      const both = new AbortController();
      for (const one of [signal, controller.signal]) {
        const follow = () => both.abort(one.reason);
        if (one.aborted) follow();
        else one.addEventListener('abort', follow, { once: true });
      }
      either.set(signal, both.signal);
      return both.signal;
    },
  };
}
