import type { Call, CallResult, Hit } from '../../core/contract/call.ts';
import type { LeasedCall } from '../../engine/queue/run-queue.ts';
import type { ServiceClient } from '../run-parts.ts';

/** One client for each service of a job, behind the interface of one. */
export interface Router extends AsyncDisposable {
  /** Before the first call of a service, so that unused services get no connection. */
  open(serviceIndex: number): Promise<void>;
  send(leased: LeasedCall, signal: AbortSignal, misread?: Hit): Promise<CallResult>;
  /** Throws if the service could not be reached, so that no call has an answer. */
  requireAnswers(serviceIndex: number): void;
  noteStored(result: CallResult, serviceIndex: number): void;
  stop(error: Error): void;
  requestsInFlight(): { readonly calls: readonly Call[]; readonly atMostMs: number };
}

export function createRouter(openClient: (serviceIndex: number) => Promise<ServiceClient>): Router {
  const clients: ServiceClient[] = [];
  const isOpen = (client: ServiceClient | undefined) => client !== undefined;
  return {
    async open(serviceIndex) {
      clients[serviceIndex] ??= await openClient(serviceIndex);
    },
    async send({ call, serviceIndex, hasFailed }, signal, misread) {
      const client = clients[serviceIndex];
      if (!client) throw new Error(`service ${serviceIndex} is not open`);
      return await client.send(call, signal, hasFailed, misread);
    },
    requireAnswers: (serviceIndex) => clients[serviceIndex]?.requireAnswers?.(),
    noteStored: (result, serviceIndex) => clients[serviceIndex]?.noteStored?.(result),
    stop(error) {
      for (const client of clients.filter(isOpen)) client.stop?.(error);
    },
    requestsInFlight() {
      const requests = clients.flatMap((client) => client?.requestsInFlight?.() ?? []);
      return {
        calls: requests.flatMap(({ calls }) => calls),
        atMostMs: Math.max(0, ...requests.map(({ atMostMs }) => atMostMs)),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.filter(isOpen)) await client[Symbol.asyncDispose]?.();
    },
  };
}
