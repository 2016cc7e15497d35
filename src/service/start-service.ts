import { outsideFailure } from '../runtime/outside-failures.ts';
import { buildService, type ServiceOptions } from './build-service.ts';

export interface RunningService {
  readonly url: string;
  /** Waits for requests in flight; after ten seconds their connections are closed. */
  stop(): Promise<void>;
}

const drainMs = 10_000;

/** Starts the service on an address. Port 0 takes a free port. */
export async function startService(
  options: ServiceOptions & { host: string; port: number },
): Promise<RunningService> {
  const { host, port } = options;
  const service = buildService(options);
  try {
    const url = await service.listen({ host, port });
    return {
      url,
      async stop() {
        const { server } = service;
        // A connection that carries its last answer now becomes idle later, and would hold the stop.
        const idle = setInterval(() => server.closeIdleConnections(), 50);
        const overdue = setTimeout(() => server.closeAllConnections(), drainMs);
        await service.close();
        clearInterval(idle);
        clearTimeout(overdue);
      },
    };
  } catch (error) {
    throw outsideFailure('port', `port ${port} of ${host}`, error) ?? error;
  }
}
