import type { Call, PeopleCall } from '../../../core/contract/call.ts';
import type { HttpResponse, Probe, ProviderRequests, ServiceAccess } from '../provider.ts';
import type { PeopleSearch } from './operations.ts';

/** `https://host/v1/ + fqdn acme.com → GET https://host/v1/company?fqdn=acme.com&country=AU` */
export function buildRequests({ baseUrl, key, headers: common }: ServiceAccess): ProviderRequests {
  const { origin } = baseUrl;
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json', ...common };
  const get = (query: string) =>
    ({ method: 'GET', origin, path: `${prefix}/company?${query}`, headers }) as const;
  return {
    requestFor(call: Call) {
      if (call.operation === 'company') {
        const { kind, value } = call.identifier;
        return get(`${kind}=${encode(value)}&country=${encode(call.country)}`);
      }
      return {
        method: 'POST',
        origin,
        path: `${prefix}/people/search`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(searchBody(call)),
      };
    },
    probe: () => ({ ...freeProbe, request: get('country=ZZ') }),
  };
}

function searchBody({ companyId, country, from, size, ...filters }: PeopleCall): PeopleSearch {
  const { department, position, seniority } = filters;
  return {
    companyId,
    department,
    from: String(from),
    position,
    selectedCountry: country,
    seniority,
    size: String(size),
  };
}

/** Names no company, and the service does not support the country ZZ, so it answers 400. */
const freeProbe: Omit<Probe, 'request'> = {
  call: { operation: 'company', identifier: { kind: 'id', value: '' }, country: 'AU' },
  mayBeCharged: false,
  findingOf({ status, body }, kind) {
    if (kind === 'invalid') return status === 400 || status === 422 ? 'accepted' : 'unsure';
    if (isWebPage(body)) return 'foreign';
    return status === 404 ? 'unsure' : 'accepted';
  },
};

function isWebPage(body: HttpResponse['body']) {
  return body.toString('utf8', 0, 100).trimStart().startsWith('<');
}

function encode(value: string) {
  if (/^[\w.-]+$/.test(value)) return value;
  // encodeURIComponent throws on half a surrogate pair and does not encode apostrophes.
  return encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27');
}
