import type { FastifyInstance } from 'fastify';
import { defaultCountry } from '../../contract/countries.ts';
import { defaultPageSize, PeopleSearch } from '../../contract/people-search.ts';
import type { ProblemCode } from '../../contract/problem.ts';
import { ServiceProblem } from '../http/service-problem.ts';
import type { Store } from '../open-store.ts';
import { withoutBlanks } from './without-blanks.ts';

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
