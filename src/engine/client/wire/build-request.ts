import type { CallRequest } from '../../../core/contract/call.ts';
import { acceptEncoding } from './decode-body.ts';
import type { HttpRequest } from './send-request.ts';

/** `https://host/v1/ + fqdn acme.com → GET https://host/v1/company?fqdn=acme.com&country=AU` */
export function createRequestBuilder(baseUrl: URL, key: string) {
  const { origin } = baseUrl;
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json',
    'accept-encoding': acceptEncoding,
    'user-agent': 'dossier',
  };
  return (call: CallRequest): HttpRequest => {
    if (call.operation === 'company') {
      const { kind, value } = call.identifier;
      const query = `${kind}=${encode(value)}&country=${encode(call.country)}`;
      return { method: 'GET', origin, path: `${prefix}/company?${query}`, headers };
    }
    return {
      method: 'POST',
      origin,
      path: `${prefix}/people/search`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(call.body),
    };
  };
}

function encode(value: string) {
  if (/^[\w.-]+$/.test(value)) return value;
  // encodeURIComponent throws on half a surrogate pair and does not encode apostrophes.
  return encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27');
}
