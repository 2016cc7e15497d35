import type { FastifyInstance } from 'fastify';
import { CompanyLookup } from '../contract/company-lookup.ts';
import { defaultCountry } from '../contract/countries.ts';
import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';
import { defaultPageSize, PeopleSearch } from '../contract/people-search.ts';
import type { ProblemCode } from '../contract/problem.ts';
import { ServiceProblem } from './answer-errors.ts';
import { lookupKeys, plainKey } from './company-keys.ts';
import type { Store } from './open-store.ts';

/** GET /company. The stored JSON is sent as bytes, which is faster than parsing it. */
export function addCompanyRoute(app: FastifyInstance, store: Store): void {
  const recent = recentAnswers(store.version);
  app.get('/company', (request, reply) => {
    reply.type('application/json; charset=utf-8');
    const known = recent.get(request.url);
    if (known) return reply.send(known);

    const lookup = readLookup(request.query as Record<string, unknown>);
    const kind = identifierKinds.find((each) => lookup[each] !== undefined);
    if (!kind) throw new ServiceProblem('NO_IDENTIFIER');

    const company = findCompany(store, kind, lookup);
    if (company === undefined) throw new ServiceProblem('COMPANY_UNKNOWN');
    recent.keep(request.url, company);
    return reply.send(company);
  });
}

function findCompany(store: Store, kind: IdentifierKind, lookup: CompanyLookup) {
  const { [kind]: text = '', country = defaultCountry } = lookup;
  const plain = plainKey(kind, text);
  const found = plain && store.findCompany([plain], country);
  return found ?? store.findCompany(lookupKeys(kind, text), country);
}

function readLookup(query: Record<string, unknown>): CompanyLookup {
  const given = withoutBlanks(query);
  if (typeof given.country === 'string') given.country = given.country.trim().toUpperCase();
  const lookup = CompanyLookup.safeParse(given);
  if (lookup.success) return lookup.data;
  const isRepeated = Object.values(given).some(Array.isArray);
  throw new ServiceProblem(isRepeated ? 'PARAMETER_REPEATED' : 'COUNTRY_UNSUPPORTED');
}

/** POST /people/search */
export function addPeopleRoute(app: FastifyInstance, store: Store): void {
  app.post('/people/search', (request, reply) => {
    const search = readSearch(request.body);
    const people = store.searchPeople({
      companyId: search.companyId,
      country: search.selectedCountry ?? defaultCountry,
      position: search.position,
      seniority: search.seniority === undefined ? undefined : Number(search.seniority),
      department: search.department === undefined ? undefined : Number(search.department),
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
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ServiceProblem('BODY_NOT_JSON');
  }
  const given = withoutBlanks(body as Record<string, unknown>);
  for (const [name, value] of Object.entries(given)) {
    // The interface says strings, but 50 can only mean "50".
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

const defaultMaxBytes = 32 * 1024 * 1024;
/** The set of URLs that were requested once is cleared when it has this many. */
const maxRequestedOnce = 10_000;

/**
 * Caches answers until the store changes; above `maxBytes` the oldest are dropped. Reading a company
 * from SQLite takes longer than the rest of a lookup, HTTP aside, and a list that is run again asks
 * for the same companies. An answer is cached at its second request: a list that asks once for each
 * company would fill the cache with answers that are never used.
 */
export function recentAnswers(storeVersion: () => number, { maxBytes = defaultMaxBytes } = {}) {
  const answers = new Map<string, Buffer>();
  const requestedOnce = new Set<string>();
  let usedBytes = 0;
  let version = storeVersion();

  const clearIfChanged = () => {
    const current = storeVersion();
    if (current === version) return;
    version = current;
    answers.clear();
    usedBytes = 0;
  };

  return {
    get(url: string): Buffer | undefined {
      clearIfChanged();
      return answers.get(url);
    },
    keep(url: string, answer: Buffer): void {
      clearIfChanged();
      if (!requestedOnce.delete(url)) {
        if (requestedOnce.size >= maxRequestedOnce) requestedOnce.clear();
        requestedOnce.add(url);
        return;
      }
      if (answers.has(url) || sizeOf(url, answer) > maxBytes) return;
      answers.set(url, answer);
      usedBytes += sizeOf(url, answer);
      for (const [oldUrl, oldAnswer] of answers) {
        if (usedBytes <= maxBytes) break;
        answers.delete(oldUrl);
        usedBytes -= sizeOf(oldUrl, oldAnswer);
      }
    },
  };
}

function sizeOf(url: string, answer: Buffer): number {
  return url.length + answer.length;
}

/** Drops blank parameters: many clients send every field, filled or not. */
function withoutBlanks(given: Record<string, unknown>): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    const isBlank = value === null || (typeof value === 'string' && value.trim() === '');
    if (!isBlank) filled[name] = value;
  }
  return filled;
}
