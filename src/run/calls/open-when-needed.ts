import type { ServiceClient } from '../run-job.ts';

/** A client that is opened by its first call: a run of cache hits alone opens none. */
export function openWhenNeeded(open: () => Promise<ServiceClient>): ServiceClient {
  let opened: Promise<ServiceClient> | undefined;
  let ready: ServiceClient | undefined;
  let stopped: Error | undefined;
  const sendFirst: ServiceClient['send'] = async (call, signal) => {
    if (stopped) throw stopped;
    opened ??= open();
    ready = await opened;
    // The run may have been stopped while the client was being opened.
    if (stopped) throw stopped;
    return ready.send(call, signal);
  };
  return {
    send: (call, signal) =>
      ready && !stopped ? ready.send(call, signal) : sendFirst(call, signal),
    release: (outcome) => ready?.release?.(outcome),
    stop(error) {
      stopped ??= error;
      // A client that could not be opened has told so to its first call.
      opened?.then(
        (client) => client.stop(error),
        () => {},
      );
    },
    async [Symbol.asyncDispose]() {
      const client = await opened?.catch(() => undefined);
      await client?.[Symbol.asyncDispose]();
    },
  };
}
