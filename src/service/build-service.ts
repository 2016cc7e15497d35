import { type FastifyInstance, fastify } from 'fastify';
import { openApiDocument } from '../contract/openapi.ts';
import type { Log } from '../runtime/log/log.ts';
import { outsideFailure } from '../runtime/outside-failures.ts';
import {
  answerBeforeFastify,
  answerClientError,
  answerErrors,
  problemSender,
  ServiceProblem,
  securityHeaders,
} from './answer-errors.ts';
import type { Faults } from './faults.ts';
import { injectFaults } from './faults.ts';
import type { Store } from './open-store.ts';
import { addCompanyRoute, addPeopleRoute } from './routes.ts';
import { authenticateBy } from './service-keys.ts';

interface ServiceOptions {
  store: Store;
  keys: readonly string[];
  /** Requests a second for each key; absent for no limit. */
  rate?: number | undefined;
  faults?: Faults | undefined;
  log: Log;
  version: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Index of the key that the request carries. The key itself is not kept. */
    keyIndex: number | undefined;
    arrivedAt: number;
  }
}

/** Builds the Company Data Service over a store. The caller lets it listen and closes both. */
function buildService(options: ServiceOptions): FastifyInstance {
  const { store, log } = options;
  const sendProblem = problemSender(log);
  const app = fastify({
    bodyLimit: 1024 * 1024,
    requestTimeout: 30_000,
    // The hook below refuses a request without Host: Node would answer without the error object.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // A request that arrives while the service stops is still answered.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    clientErrorHandler: answerClientError,
    frameworkErrors: sendProblem,
  });

  // Only JSON bodies are accepted; Fastify would take plain text too.
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('keyIndex', undefined);
  app.decorateRequest('arrivedAt', 0);
  app.addHook('onRequest', (request, reply, next) => {
    request.arrivedAt = performance.now();
    reply.headers(securityHeaders);
    if (request.headers.host === undefined) throw new ServiceProblem('REQUEST_MALFORMED');
    next();
  });
  answerBeforeFastify(app.server);
  // Logged in onSend: the hook onResponse costs more than writing the line.
  app.addHook('onSend', (request, reply, payload, next) => {
    log.info(
      {
        method: request.method,
        path: pathOf(request.url),
        status: reply.statusCode,
        ms: Math.round((performance.now() - request.arrivedAt) * 100) / 100,
        key: request.keyIndex,
      },
      'request.answered',
    );
    next(null, payload);
  });
  answerErrors(app, sendProblem);

  const openApi = openApiDocument(options.version);
  app.get('/openapi.json', () => openApi);
  let counts = store.counts();
  let countedAt = performance.now();
  app.get('/healthz', () => {
    if (performance.now() - countedAt > countsAgeMs) {
      counts = store.counts();
      countedAt = performance.now();
    }
    return { status: 'ok', ...counts };
  });

  app.register((operations, _options, done) => {
    requireKey(operations, options.keys);
    if (options.rate !== undefined) limitRate(operations, options.rate);
    if (options.faults) injectFaults(operations, options.faults, log);
    addCompanyRoute(operations, store);
    addPeopleRoute(operations, store);
    done();
  });
  return app;
}

function requireKey(app: FastifyInstance, keys: readonly string[]): void {
  const authenticate = authenticateBy(keys);
  app.addHook('onRequest', (request, _reply, next) => {
    request.keyIndex = authenticate(request.headers.authorization);
    next();
  });
}

/** Sends the headers of draft-ietf-httpapi-ratelimit-headers with every answer. */
function limitRate(app: FastifyInstance, rate: number): void {
  const grant = limitRequests(rate);
  app.addHook('onRequest', (request, reply, next) => {
    const { isAllowed, remaining, resetSeconds } = grant(request.keyIndex ?? 0);
    reply.header('ratelimit-policy', `"default";q=${rate};w=1`);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (!isAllowed) {
      reply.header('retry-after', String(resetSeconds));
      throw new ServiceProblem('TOO_MANY_REQUESTS');
    }
    next();
  });
}

/** Counting a large store is slow, and /healthz needs no key, so the counts are cached. */
const countsAgeMs = 1_000;

/** The path for the log, without the query: a client may put a key there. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return url.slice(0, Math.min(200, end === -1 ? url.length : end));
}

const windowMs = 1_000;

/** Grants each key at most `rate` requests in any second. A refused request does not count. */
function limitRequests(rate: number) {
  const granted = new Map<number, number[]>();
  return (key: number) => {
    const now = performance.now();
    const times = (granted.get(key) ?? []).filter((time) => now - time < windowMs);
    const isAllowed = times.length < rate;
    if (isAllowed) times.push(now);
    granted.set(key, times);
    // Until another request is certainly granted.
    const resetSeconds = Math.ceil(Math.round((times[0] ?? now) + windowMs - now) / 1_000);
    return { isAllowed, remaining: rate - times.length, resetSeconds };
  };
}

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
