import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type FastifyInstance, fastify } from 'fastify';
import { defaultCountry } from '../core/contract/countries.ts';
import { identifierKinds } from '../core/contract/identifier-kinds.ts';
import { DossierError } from '../core/errors.ts';
import { isRecord } from '../core/values/parse-json.ts';
import {
  CompanyLookup,
  defaultPageSize,
  PeopleSearch,
} from '../engine/providers/company-data/operations.ts';
import type { ProblemCode } from '../engine/providers/company-data/problem.ts';
import { isLoopback } from '../platform/files/local-path.ts';
import type { Log } from '../platform/log.ts';
import { outsideFailure } from '../platform/outside-failures.ts';
import { packagePath } from '../platform/package-path.ts';
import { answerErrors, problemSender, ServiceProblem, securityHeaders } from './answer-errors.ts';
import { lookupKeys, type Store } from './open-store.ts';
import {
  addReconciliation,
  answerPreflights,
  crossOrigin,
  type Reconciliation,
  reconcileSecret,
} from './reconcile.ts';

interface ServiceOptions {
  store: Store;
  keys: readonly string[];
  /** Requests per second, for each key. */
  rate?: number | undefined;
  log: Log;
  version: string;
  /** Company names, under /reconcile. */
  register?: Reconciliation['register'] | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Logged instead of the key. */
    keyIndex: number | undefined;
    arrivedAt: number;
  }
}

function buildService(options: ServiceOptions): FastifyInstance {
  const { store, log, register } = options;
  const sendProblem = problemSender(log);
  const app = fastify({
    bodyLimit: 1024 * 1024,
    requestTimeout: 30_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000 },
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: sendProblem,
  });

  app.removeContentTypeParser('text/plain');
  app.decorateRequest('keyIndex', undefined);
  app.decorateRequest('arrivedAt', 0);
  app.addHook('onRequest', (request, reply, next) => {
    request.arrivedAt = performance.now();
    reply.headers(securityHeaders);
    if (isReconciliation.test(request.url)) reply.headers(crossOrigin);
    next();
  });
  // Logs here, because an onResponse hook would cost more time than writing the log line.
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

  addPublicRoutes(app, options);
  if (register) answerPreflights(app);
  app.register((operations, _options, done) => {
    requireKey(operations, options);
    if (options.rate !== undefined) limitRate(operations, options.rate);
    addCompanyRoute(operations, store);
    addPeopleRoute(operations, store);
    if (register) addReconciliation(operations, { register, version: options.version });
    done();
  });
  return app;
}

function requireKey(app: FastifyInstance, { keys, register }: ServiceOptions) {
  const authenticate = authenticateBy(keys);
  const authenticateSecret = authenticateBy(register ? keys.map(reconcileSecret) : []);
  app.addHook('onRequest', (request, _reply, next) => {
    const { secret } = request.params as { secret?: string };
    const bearer = /^bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim();
    request.keyIndex = secret === undefined ? authenticate(bearer) : authenticateSecret(secret);
    next();
  });
}

function limitRate(app: FastifyInstance, rate: number) {
  const grant = limitRequests(rate);
  app.addHook('onRequest', (request, reply, next) => {
    if (grant(request.keyIndex ?? 0)) return next();
    reply.header('retry-after', '1');
    throw new ServiceProblem('TOO_MANY_REQUESTS');
  });
}

/** Reuses counts, because anyone may call /healthz and counting reads whole tables. */
const countsAgeMs = 1_000;

function addPublicRoutes(app: FastifyInstance, { store }: ServiceOptions) {
  const openApi = readFileSync(packagePath('docs', 'openapi.json'));
  app.get('/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(openApi),
  );
  let counts = {};
  let countedAt = Number.NEGATIVE_INFINITY;
  app.get('/healthz', () => {
    if (performance.now() - countedAt > countsAgeMs) {
      counts = store.counts();
      countedAt = performance.now();
    }
    return { status: 'ok', ...counts };
  });
}

/** Drops the query, because a client may put a key in it, and the secret of an address. */
function pathOf(url: string) {
  const [path = ''] = url.split('?', 1);
  return path.replace(/^(\/reconcile\/)[^/]{20,}/, '$1<secret>').slice(0, 200);
}

const isReconciliation = /^\/reconcile(?:[/?]|$)/;

const windowMs = 1_000;

function limitRequests(rate: number) {
  const granted = new Map<number, number[]>();
  return (key: number) => {
    const now = performance.now();
    const times = (granted.get(key) ?? []).filter((time) => now - time < windowMs);
    const isAllowed = times.length < rate;
    if (isAllowed) times.push(now);
    granted.set(key, times);
    return isAllowed;
  };
}

const drainMs = 10_000;

export async function startService(options: ServiceOptions & { host: string; port: number }) {
  const { host, port } = options;
  const service = buildService(options);
  try {
    const url = await service.listen({ host, port });
    return {
      url,
      async stop() {
        const { server } = service;
        // Connections that become idle later would block the shutdown.
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

/** Sends stored bytes, because parsing the JSON would be slower. */
function addCompanyRoute(app: FastifyInstance, store: Store) {
  app.get('/company', (request, reply) => {
    const lookup = readLookup(request.query as Record<string, unknown>);
    const kind = identifierKinds.find((each) => lookup[each] !== undefined);
    if (!kind) throw new ServiceProblem('NO_IDENTIFIER');
    const { [kind]: text = '', country = defaultCountry } = lookup;
    const company = store.findCompany(lookupKeys(kind, text), country);
    if (company === undefined) throw new ServiceProblem('COMPANY_UNKNOWN');
    return reply.type('application/json; charset=utf-8').send(company);
  });
}

function readLookup(query: Record<string, unknown>): CompanyLookup {
  const given = withoutBlanks(query);
  if (typeof given.country === 'string') given.country = given.country.trim().toUpperCase();
  const lookup = CompanyLookup.safeParse(given);
  if (lookup.success) return lookup.data;
  const isRepeated = Object.values(given).some(Array.isArray);
  throw new ServiceProblem(isRepeated ? 'PARAMETER_REPEATED' : 'COUNTRY_UNSUPPORTED');
}

function addPeopleRoute(app: FastifyInstance, store: Store) {
  app.post('/people/search', (request, reply) => {
    const search = readSearch(request.body);
    const people = store.searchPeople({
      companyId: search.companyId,
      country: search.selectedCountry ?? defaultCountry,
      position: search.position,
      seniority: search.seniority === undefined ? null : Number(search.seniority),
      department: search.department === undefined ? null : Number(search.department),
      from: Number(search.from ?? 0),
      size: Number(search.size ?? defaultPageSize),
    });
    return reply.type('application/json; charset=utf-8').send(`[${people.join(',')}]`);
  });
}

const problemOf: Record<keyof PeopleSearch, ProblemCode> = {
  companyId: 'COMPANY_ID_MISSING',
  selectedCountry: 'COUNTRY_UNSUPPORTED',
  position: 'POSITION_INVALID',
  seniority: 'SENIORITY_UNKNOWN',
  department: 'DEPARTMENT_UNKNOWN',
  from: 'FROM_INVALID',
  size: 'SIZE_INVALID',
};

function readSearch(body: unknown): PeopleSearch {
  if (!isRecord(body)) throw new ServiceProblem('BODY_NOT_JSON');
  const given = withoutBlanks(body);
  for (const [name, value] of Object.entries(given)) {
    // The interface requires strings, but 50 can only mean "50".
    if (typeof value === 'number') given[name] = String(value);
  }
  if (typeof given.selectedCountry === 'string') {
    given.selectedCountry = given.selectedCountry.trim().toUpperCase();
  }
  const search = PeopleSearch.safeParse(given);
  if (search.success) return search.data;
  const field = search.error.issues[0]?.path[0] as keyof PeopleSearch;
  throw new ServiceProblem(problemOf[field]);
}

function withoutBlanks(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([, value]) => value !== null && !(typeof value === 'string' && value.trim() === ''),
    ),
  );
}

const visibleAscii = /^[\x21-\x7e]+$/;

/** If no key is given, one is made, and the service may listen on loopback only. */
export function serviceKeys(sources: {
  keys: readonly string[];
  keyFiles: readonly string[];
  environment: string | undefined;
  host: string;
}) {
  const given = [
    ...sources.keys,
    ...sources.keyFiles.flatMap(readKeyFile),
    ...(sources.environment?.split(/[\s,]+/).filter(Boolean) ?? []),
  ];
  if (!given.every((key) => visibleAscii.test(key))) {
    throw new DossierError(
      'USAGE',
      'a key must consist of visible ASCII characters without spaces',
    );
  }
  if (given.length > 0) return { keys: [...new Set(given)], madeKey: undefined };
  if (!isLoopback(sources.host)) {
    throw new DossierError(
      'USAGE',
      `other machines can reach ${sources.host}: set a key with --key-file or DOSSIER_SERVICE_KEYS, or bind to 127.0.0.1`,
    );
  }
  const madeKey = randomBytes(24).toString('base64url');
  return { keys: [madeKey], madeKey };
}

function readKeyFile(path: string) {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw outsideFailure('file', `the key file ${path}`, error);
  }
  const keys = text.split(/\s+/).filter(Boolean);
  if (keys.length === 0) throw new DossierError('USAGE', `the key file ${path} holds no key`);
  return keys;
}

function authenticateBy(keys: readonly string[]) {
  const known = keys.map((key) => hash('sha256', key, 'buffer'));
  return (token: string | undefined): number => {
    if (!token) throw new ServiceProblem('KEY_MISSING');
    const given = hash('sha256', token, 'buffer');
    const found = known.findIndex((key) => timingSafeEqual(given, key));
    if (found === -1) throw new ServiceProblem('KEY_WRONG');
    return found;
  };
}
