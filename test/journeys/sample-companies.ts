import type { Reaction } from '../support/hostile-server.ts';

/** A company of the tests has a number, from which its identifiers are made. */
export const domainOf = (number: number) => `company${number}-sample.com.au`;
export const slugOf = (number: number) => `company${number}-sample`;
const idOf = (number: number) => `c_${number}`;
/** ABNs of the first companies, with valid check digits. */
export const abnsOf = ['72900000000', '53900000001', '34900000002', '15900000003'];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface SampleService {
  /** How many companies there are; those with a higher number are unknown. */
  readonly companies: number;
  /** How many people each of them has for any one search. */
  readonly people?: number;
}

/** The answer of a service without faults; tests change it as they need. */
export function answerSample(service: SampleService, request: Asked): Reaction {
  if (request.method === 'POST') return answerPeople(service, request.body);
  const number = numberAsked(request.path);
  return number < service.companies ? found(companyOf(number)) : notFound;
}

export function companyOf(number: number) {
  return {
    id: idOf(number),
    name: `Company ${number}`,
    fqdn: domainOf(number),
    network: `https://www.linkedin.com/company/${slugOf(number)}`,
    industry_codes: { abn: abnsOf[number] ?? null },
  };
}

/** The number behind an identifier of any kind. */
export function numberAsked(path: string): number {
  const query = new URL(path, 'http://host').searchParams;
  const abn = abnsOf.indexOf(query.get('abn') ?? '');
  if (abn !== -1) return abn;
  const name = query.get('fqdn') ?? query.get('ln_slug') ?? query.get('id') ?? '';
  return Number(/\d+/.exec(name)?.[0] ?? Number.POSITIVE_INFINITY);
}

export function found(answer: unknown): Reaction {
  return { body: JSON.stringify(answer) };
}

const notFound: Reaction = {
  status: 404,
  body: JSON.stringify({ error: 404, message: 'Company not found' }),
};

export function peopleOf(body: string, all: number): object[] {
  const { companyId, from, size, seniority = 'any' } = JSON.parse(body) as Record<string, string>;
  const length = Math.max(0, Math.min(Number(size), all - Number(from)));
  return Array.from({ length }, (_, index) => ({
    person_id: `${companyId}-${seniority}-${Number(from) + index}`,
    position: 'Head of Tests',
  }));
}

function answerPeople({ people = 0 }: SampleService, body: string): Reaction {
  return found(peopleOf(body, people));
}

/** A list of domains, the companies from 0 on. */
export function listOfDomains(rows: number): string {
  const lines = Array.from({ length: rows }, (_, number) => domainOf(number));
  return ['website', ...lines].join('\n');
}
