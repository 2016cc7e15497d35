import type { CallRequest } from '../../contract/call.ts';
import type { ServiceClient } from '../run-parts.ts';

/**
 * A client that is opened by its first call: a run of cache hits alone opens none. `refund` gives back the
 * request that was reserved for a call which does not reach the client.
 */
export function openWhenNeeded(
  open: () => Promise<ServiceClient>,
  refund: (call: CallRequest) => void = () => {},
): ServiceClient {
  let opened: Promise<ServiceClient> | undefined;
  let ready: ServiceClient | undefined;
  let stopped: Error | undefined;
  const readyToSend = async () => {
    if (stopped) throw stopped;
    opened ??= open();
    ready = await opened;
    // The run may have been stopped while the client was being opened.
    if (stopped) throw stopped;
    return ready;
  };
  const sendFirst: ServiceClient['send'] = async (call, signal, hasFailedBefore) => {
    const client = await readyToSend().catch((error: unknown) => {
      refund(call);
      throw error;
    });
    return client.send(call, signal, hasFailedBefore);
  };
  return {
    send: (call, signal, hasFailedBefore) =>
      ready && !stopped
        ? ready.send(call, signal, hasFailedBefore)
        : sendFirst(call, signal, hasFailedBefore),
    judge: () => ready?.judge?.(),
    release: (outcome) => ready?.release?.(outcome),
    stop(error) {
      stopped ??= error;
      // A client that could not be opened has told so to its first call.
      opened?.then(
        (client) => client.stop(error),
        () => {},
      );
    },
    onWire: () => ready?.onWire?.() ?? { calls: [], atMostMs: 0 },
    async [Symbol.asyncDispose]() {
      const client = await opened?.catch(() => undefined);
      await client?.[Symbol.asyncDispose]();
    },
  };
}
