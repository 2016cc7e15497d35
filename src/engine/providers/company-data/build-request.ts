import type { CallRequest } from '../../../core/contract/call.ts';
import type { ProviderRequests, ServiceAccess } from '../provider.ts';

/** `https://host/v1/ + fqdn acme.com → GET https://host/v1/company?fqdn=acme.com&country=AU` */
export function buildRequests({ baseUrl, key, headers: common }: ServiceAccess): ProviderRequests {
  const { origin } = baseUrl;
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json', ...common };
  const get = (query: string) =>
    ({ method: 'GET', origin, path: `${prefix}/company?${query}`, headers }) as const;
  return {
    of(call: CallRequest) {
      if (call.operation === 'company') {
        const { kind, value } = call.identifier;
        return get(`${kind}=${encode(value)}&country=${encode(call.country)}`);
      }
      return {
        method: 'POST',
        origin,
        path: `${prefix}/people/search`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(call.body),
      };
    },
    // Names no company, and the service does not support the country ZZ, so it answers 400.
    probe: () => get('country=ZZ'),
  };
}

function encode(value: string) {
  if (/^[\w.-]+$/.test(value)) return value;
  // encodeURIComponent throws on half a surrogate pair and does not encode apostrophes.
  return encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27');
}
