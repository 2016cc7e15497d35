export interface RunStop {
  /** Aborts when the run stops; its reason is the error that stopped it. */
  readonly signal: AbortSignal;
  /** The first reason stays: what follows a stop is its consequence. */
  stop(error: Error): void;
}

/** The end of the run as seen by its calls: nothing new leaves, what is on the wire may come home. */
export function openRunStop(): RunStop {
  const controller = new AbortController();
  return { signal: controller.signal, stop: (error) => controller.abort(error) };
}
