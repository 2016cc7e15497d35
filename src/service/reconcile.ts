import { scryptSync } from 'node:crypto';
import { statSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { placeOf } from '../core/names/choose-entity.ts';
import { differences } from '../core/names/compare-names.ts';
import {
  openRegister,
  type Register,
  type RegisterFacts,
  type Suggestion,
} from '../register/open-register.ts';
import { ServiceProblem } from './answer-errors.ts';

/** The Reconciliation Service API 0.2 over a register, for OpenRefine and others. */
export interface Reconciliation {
  readonly register: () => Register;
  readonly version: string;
}

/** Opens the register again once a load or a `forget` has replaced it. */
export function followRegister(path: string) {
  let register = openRegister(path);
  let file = statSync(path).ino;
  return {
    current() {
      const { ino } = statSync(path);
      if (ino === file) return register;
      const next = openRegister(path);
      register[Symbol.dispose]();
      file = ino;
      register = next;
      return register;
    },
    [Symbol.dispose]: () => register[Symbol.dispose](),
  };
}

/**
 * OpenRefine cannot send a header, and keeps addresses in its projects. So its address has a secret
 * made from the key: it opens the register only, and does not show the key.
 */
export function reconcileSecret(key: string): string {
  return scryptSync(key, 'dossier reconcile', 18).toString('base64url');
}

const paths = ['/reconcile', '/reconcile/:secret'];

/** Clients run in browsers. No cookie protects anything here, so every origin may ask. */
export const crossOrigin = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

export function answerPreflights(app: FastifyInstance): void {
  for (const url of ['/reconcile', '/reconcile/*']) {
    app.options(url, (_request, reply) =>
      reply
        .headers({
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'authorization, content-type',
        })
        .code(204)
        .send(),
    );
  }
}

export function addReconciliation(app: FastifyInstance, { register, version }: Reconciliation) {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  // OpenRefine before 3.3 loads answers as scripts. Every origin may read them anyway.
  app.addHook('onSend', async ({ url, query }, reply, payload) => {
    const { callback = '' } = query as NonNullable<Form>;
    const isScript = url.startsWith('/reconcile') && /^[\w$.]{1,99}$/.test(callback);
    if (!isScript || reply.statusCode !== 200) return payload;
    reply.type('text/javascript').removeHeader('content-length');
    return `/**/${callback}(${payload});`;
  });
  const answer = (request: FastifyRequest) => {
    const form = (request.method === 'POST' ? request.body : request.query) as Form;
    if (form?.queries !== undefined) return answerQueries(register(), form.queries);
    if (form?.extend !== undefined) return extend(register(), form.extend);
    if (request.method === 'POST') throw new ServiceProblem('QUERIES_INVALID');
    return manifest(register(), version, addressOf(request));
  };
  for (const path of paths) {
    app.get(path, answer);
    app.post(path, answer);
    app.get(`${path}/suggest/entity`, ({ query }) => {
      const { prefix, from } = readPrefix(query);
      const known = byId(register(), prefix);
      const close = register().suggest(prefix, {}, from + pageSize);
      const found = known ? [{ ...known, why: sameId }] : close.slice(from);
      return { result: found.map((one) => ({ ...described(one), notable: typesOf(one) })) };
    });
    app.get(`${path}/suggest/property`, ({ query }) => ({ result: named(query, properties) }));
    app.get(`${path}/suggest/type`, ({ query }) => {
      return { result: named(query, [organisation, ...register().types.map(toType)]) };
    });
    app.get(`${path}/properties`, ({ query }) => {
      const { type, limit } = query as NonNullable<Form>;
      return {
        type: type || organisation.id,
        properties: properties.slice(0, Number(limit) || 99),
      };
    });
  }
}

type Form = Readonly<Record<string, string | undefined>> | undefined;

const organisation = { id: 'organisation', name: 'Organisation' };
const abnPage = 'https://abr.business.gov.au/ABN/View?id=';
const sameId = 'same identifier';
const mostQueries = 50;
const pageSize = 10;

function manifest(
  { parts }: Register,
  version: string,
  address: string,
): Readonly<Record<string, unknown>> {
  const at = (path: string) => ({ service_url: address, service_path: path });
  return {
    versions: ['0.2'],
    name: 'Company names (Dossier)',
    identifierSpace: abnPage,
    schemaSpace: 'https://schema.org/Organization',
    serviceVersion: version,
    defaultTypes: [organisation],
    view: { url: `${abnPage}{{id}}` },
    batchSize: mostQueries,
    suggest: {
      entity: at('/suggest/entity'),
      property: at('/suggest/property'),
      type: at('/suggest/type'),
    },
    extend: { propose_properties: at('/properties'), property_settings: [] },
    attribution: [...new Set(parts.flatMap(({ licence }) => licence ?? []))],
    sources: parts.map(({ title, extractedAt, loadedAt }) => ({ title, extractedAt, loadedAt })),
  };
}

/** The address of this request, because the service may be known by several names. */
function addressOf({ headers, host, url }: FastifyRequest) {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${host}${url.replace(/\/?(?:\?.*)?$/, '')}`;
}

const Value = z.union([
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
  z.object({ id: z.string(), name: z.string().optional() }).transform(({ id, name }) => name ?? id),
]);
const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one) => [one])]);
const Query = z.object({
  query: z.string().default(''),
  type: listOf(z.string()).default([]),
  type_strict: z.enum(['any', 'should', 'all']).default('should'),
  limit: z.number().positive().default(5),
  properties: z.array(z.object({ pid: z.string(), v: listOf(Value) })).default([]),
});
const Queries = z.record(z.string(), Query);
const Extension = z.object({
  ids: z.array(z.string()),
  properties: z.array(z.object({ id: z.string() })),
});

function read<Shape extends z.ZodType>(text: string, shape: Shape): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new ServiceProblem('QUERIES_INVALID');
  }
}

function answerQueries(names: Register, text: string) {
  const queries = Object.entries(read(text, Queries));
  if (queries.length > mostQueries) throw new ServiceProblem('TOO_MANY_QUERIES');
  return Object.fromEntries(
    queries.map(([id, query]) => [id, { result: candidatesOf(names, query) }]),
  );
}

/** `match` is true for the one that a run would take. What the query adds can only take it back. */
function candidatesOf(names: Register, query: z.output<typeof Query>) {
  const given = (pid: string) => query.properties.find((one) => one.pid === pid)?.v[0];
  const place = placeOf(given('state'), given('postcode'));
  const known = byId(names, query.query);
  const most = Math.min(Math.ceil(query.limit), 25);
  const resolved = names.resolve(query.query, place);
  const chosen = 'chosen' in resolved ? resolved.chosen : [];
  const best = chosen.find(({ kind }) => kind === 'abn') ?? chosen[0];
  const facts = best && names.find(best.kind, best.value);
  const taken = known ?? (facts && { ...facts, foundName: best.foundName });
  const isTaken = (one: RegisterFacts) => taken !== undefined && idOf(one) === idOf(taken);
  const found = known ? [] : names.suggest(query.query, place, most);
  const all: (RegisterFacts & Pick<Suggestion, 'why' | 'score'>)[] =
    taken && !found.some(isTaken)
      ? [{ ...taken, why: known ? sameId : differences.same, score: 100 }, ...found]
      : found;
  const candidates = all.flatMap((one) => {
    const types = typesOf(one);
    const has = (type: string) => types.some(({ id }) => id === type);
    const hasTypes = query.type_strict === 'all' ? query.type.every(has) : query.type.some(has);
    const isOfType = query.type.length === 0 || hasTypes;
    if (!isOfType && query.type_strict !== 'should') return [];
    const isOther = !isOfType || query.properties.some(({ pid, v }) => differs(one, pid, v));
    const score = isTaken(one) ? 100 : one.score;
    return {
      ...described(one),
      type: types,
      score: isOther ? Math.max(0, score - 20) : score,
      match: isTaken(one) && !isOther,
    };
  });
  // Clients take a match only if it comes first.
  const rank = ({ match, score }: (typeof candidates)[number]) => Number(match) * 1_000 + score;
  return candidates.sort((one, other) => rank(other) - rank(one)).slice(0, most);
}

/** The rules of names have already used state and postcode. */
function differs(entity: RegisterFacts, pid: string, values: readonly string[]) {
  const known = pid === 'state' || pid === 'postcode' ? null : fields[pid]?.read(entity);
  const plain = (text: string) => text.toLowerCase().replaceAll(' ', '');
  return known != null && !values.some((value) => plain(value) === plain(known));
}

interface Field {
  readonly name: string;
  readonly read: (entity: RegisterFacts) => string | null;
}

const fields: Readonly<Record<string, Field>> = {
  name: { name: 'Name', read: (entity) => entity.name },
  status: { name: 'Status', read: ({ isActive }) => (isActive ? 'active' : 'cancelled') },
  entity_type: { name: 'Entity type', read: (entity) => entity.type },
  state: { name: 'State', read: (entity) => entity.state },
  postcode: { name: 'Postcode', read: (entity) => entity.postcode },
  gst: { name: 'GST', read: (entity) => entity.gst },
  acn: { name: 'ACN', read: (entity) => entity.acn },
};
const properties = Object.entries(fields).map(([id, { name }]) => ({ id, name }));

function extend(names: Register, text: string) {
  const { ids, properties: asked } = read(text, Extension);
  const valuesOf = (entity: RegisterFacts | undefined, id: string) => {
    const value = entity && fields[id]?.read(entity);
    return value == null ? [] : [{ str: value }];
  };
  return {
    meta: asked.map(({ id }) => ({ id, name: fields[id]?.name ?? id })),
    rows: Object.fromEntries(
      ids.map((id) => {
        const entity = byId(names, id);
        return [id, Object.fromEntries(asked.map((one) => [one.id, valuesOf(entity, one.id)]))];
      }),
    ),
  };
}

/** An ABN is its own id. Own lists have other identifiers: `fqdn:acme.com.au`. */
function idOf({ kind, value }: RegisterFacts) {
  return kind === 'abn' ? value : `${kind}:${value}`;
}

function byId(names: Register, id: string) {
  const [, kind = 'abn', value = ''] = /^(?:(\w+):)?(.+)$/.exec(id.trim()) ?? [];
  return names.find(kind, kind === 'abn' ? value.replaceAll(' ', '') : value);
}

function typesOf({ type }: RegisterFacts) {
  return type === null ? [organisation] : [toType(type), organisation];
}

function toType(words: string) {
  return { id: words, name: words };
}

function described(entity: RegisterFacts & { readonly why: string; readonly foundName?: string }) {
  const { name, foundName = name, state, postcode, type, isActive, why } = entity;
  const place = [state, postcode].filter(Boolean).join(' ');
  const parts = [foundName === name ? '' : `found as ${foundName}`, place, type, why];
  if (!isActive && !why.includes('cancelled')) parts.push('cancelled');
  return { id: idOf(entity), name, description: parts.filter(Boolean).join(', ') };
}

function readPrefix(query: unknown) {
  const { prefix = '', cursor } = query as NonNullable<Form>;
  return {
    prefix: String(prefix),
    from: Math.min(Math.max(Math.trunc(Number(cursor) || 0), 0), 100),
  };
}

function named<Item extends { name: string }>(query: unknown, items: readonly Item[]) {
  const { prefix, from } = readPrefix(query);
  const start = prefix.trim().toLowerCase();
  return items.filter(({ name }) => name.toLowerCase().includes(start)).slice(from);
}
