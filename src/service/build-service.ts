import { type FastifyInstance, fastify } from 'fastify';
import { openApiDocument } from '../contract/openapi.ts';
import type { Log } from '../runtime/log.ts';
import {
  answerClientError,
  answerErrors,
  answerOddRequests,
  problemSender,
} from './answer-errors.ts';
import { authenticateBy } from './authenticate.ts';
import { addCompanyRoute } from './company-route.ts';
import type { Faults } from './faults.ts';
import { injectFaults } from './inject-faults.ts';
import { limitRequests } from './limit-requests.ts';
import { addPeopleRoute } from './people-route.ts';
import { securityHeaders } from './security-headers.ts';
import { ServiceProblem } from './service-problem.ts';
import type { Store } from './store.ts';

export interface ServiceOptions {
  store: Store;
  keys: readonly string[];
  /** Requests a second for each key; no limit when absent. */
  rate?: number | undefined;
  faults?: Faults | undefined;
  log: Log;
  version: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Which key the request carried, by its place in the list; the key itself is not kept. */
    keyIndex: number | undefined;
    arrivedAt: number;
  }
}

/** The Company Data Service over a store. The caller listens, and closes store and service. */
export function buildService(options: ServiceOptions): FastifyInstance {
  const { store, log } = options;
  const sendProblem = problemSender(log);
  const app = fastify({
    bodyLimit: 1024 * 1024,
    requestTimeout: 30_000,
    // A request without Host is refused below, with the error object that Node's own refusal lacks.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // A request that arrives while the service stops is still answered; its connection closes.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    clientErrorHandler: answerClientError,
    frameworkErrors: sendProblem,
  });

  // Bodies are JSON or they are refused; Fastify alone would also take plain text.
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('keyIndex', undefined);
  app.decorateRequest('arrivedAt', 0);
  app.addHook('onRequest', (request, reply, next) => {
    request.arrivedAt = performance.now();
    reply.headers(securityHeaders);
    if (request.headers.host === undefined) throw new ServiceProblem('REQUEST_MALFORMED');
    next();
  });
  answerOddRequests(app.server);
  // As the answer leaves: a listener for the moment when it has left costs more than the line.
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
  const counts = remember(countsAgeMs, store.counts);
  app.get('/healthz', () => ({ status: 'ok', ...counts() }));

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

/** Headers of draft-ietf-httpapi-ratelimit-headers, on every answer of a limited service. */
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

/** Counting a large store takes a while, and anybody may ask. */
const countsAgeMs = 1_000;

function remember<Value>(ageMs: number, read: () => Value): () => Value {
  let known: { value: Value; until: number } | undefined;
  return () => {
    const now = performance.now();
    if (!known || now >= known.until) known = { value: read(), until: now + ageMs };
    return known.value;
  };
}

/** Never the query: people put all sorts of things there, keys among them. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return url.slice(0, Math.min(200, end === -1 ? url.length : end));
}
