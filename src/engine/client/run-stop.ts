/** After a stop, no new request is sent. Requests in flight may finish. */
export function openRunStop() {
  const controller = new AbortController();
  const either = new WeakMap<AbortSignal, AbortSignal>();
  return {
    signal: controller.signal,
    stop: (error: Error) => controller.abort(error),
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
