import type { CallRequest, CallResult } from '../../core/contract/call.ts';
import type { LeasedCall } from '../../engine/queue/run-queue.ts';
import type { ServiceClient } from '../run-parts.ts';

/** One client for each service of a job, behind the interface of one. */
export function createRouter(openClient: (service: number) => Promise<ServiceClient>) {
  const clients: ServiceClient[] = [];
  const isOpen = (client: ServiceClient | undefined) => client !== undefined;
  return {
    /** Before the first call of a service, so that unused services get no connection. */
    async open(service: number): Promise<void> {
      clients[service] ??= await openClient(service);
    },
    async send({ call, service, hasFailed }: LeasedCall, signal: AbortSignal): Promise<CallResult> {
      const client = clients[service];
      if (!client) throw new Error(`service ${service} is not open`);
      return await client.send(call, signal, hasFailed);
    },
    requireAnswers: (service: number) => clients[service]?.requireAnswers?.(),
    release: (result: CallResult, service: number) => clients[service]?.release?.(result),
    stop(error: Error) {
      for (const client of clients.filter(isOpen)) client.stop?.(error);
    },
    requestsInFlight(): { readonly calls: readonly CallRequest[]; readonly atMostMs: number } {
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

export type Router = ReturnType<typeof createRouter>;
