import type { FastifyInstance } from 'fastify';
import { CompanyLookup, identifierKinds } from '../contract/company-lookup.ts';
import { defaultCountry } from '../contract/countries.ts';
import { lookupKeys } from './company-keys.ts';
import { ServiceProblem } from './service-problem.ts';
import type { Store } from './store.ts';
import { withoutBlanks } from './without-blanks.ts';

/** GET /company: the stored JSON passes through as text, which is what makes it fast. */
export function addCompanyRoute(app: FastifyInstance, store: Store): void {
  app.get('/company', (request, reply) => {
    const lookup = readLookup(request.query as Record<string, unknown>);
    const kind = identifierKinds.find((candidate) => lookup[candidate] !== undefined);
    if (!kind) throw new ServiceProblem('NO_IDENTIFIER');

    const keys = lookupKeys(kind, lookup[kind] ?? '');
    const company = store.findCompany(keys, lookup.country ?? defaultCountry);
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
