import type { FastifyInstance } from 'fastify';
import { CompanyLookup } from '../contract/company-lookup.ts';
import { defaultCountry } from '../contract/countries.ts';
import { identifierKinds } from '../contract/identifier-kinds.ts';
import { defaultPageSize, PeopleSearch } from '../contract/people-search.ts';
import type { ProblemCode } from '../contract/problem.ts';
import { ServiceProblem } from './answer-errors.ts';
import { lookupKeys } from './company-keys.ts';
import type { Store } from './open-store.ts';

/** GET /company. The stored JSON is sent as bytes, which is faster than parsing it. */
export function addCompanyRoute(app: FastifyInstance, store: Store): void {
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

/** POST /people/search */
export function addPeopleRoute(app: FastifyInstance, store: Store): void {
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
