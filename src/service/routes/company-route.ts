import type { FastifyInstance } from 'fastify';
import { CompanyLookup } from '../../contract/company-lookup.ts';
import { defaultCountry } from '../../contract/countries.ts';
import { type IdentifierKind, identifierKinds } from '../../contract/identifier-kinds.ts';
import { ServiceProblem } from '../http/service-problem.ts';
import type { Store } from '../open-store.ts';
import { lookupKeys } from '../store/company-keys.ts';
import { plainKey } from '../store/plain-keys.ts';
import { recentAnswers } from './recent-answers.ts';
import { withoutBlanks } from './without-blanks.ts';

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
