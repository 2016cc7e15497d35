import type { ServiceClient } from './run-job.ts';

/** A client that is opened by its first call: with all answers at hand, none is. */
export function openWhenNeeded(open: () => Promise<ServiceClient>): ServiceClient {
  let opened: Promise<ServiceClient> | undefined;
  let stopped: Error | undefined;
  return {
    async send(call, signal) {
      if (stopped) throw stopped;
      opened ??= open();
      const client = await opened;
      // The stop may have come while it was being opened.
      if (stopped) throw stopped;
      return client.send(call, signal);
    },
    stop(error) {
      stopped ??= error;
      // One that could not be opened has told so to whoever wanted to send.
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
