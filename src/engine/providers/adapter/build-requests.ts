import type { Call, CompanyCall } from '../../../core/contract/call.ts';
import { identifierKinds, kindWords } from '../../../core/contract/identifier-kinds.ts';
import type { HttpRequest, Probe, ProviderRequests, ServiceAccess } from '../provider.ts';
import type { AdapterDefinition, Ask } from './definition.ts';

export const placeholder = '{value}';

export function buildRequests(
  { auth, headers: own, company }: AdapterDefinition,
  { baseUrl, key, headers: common }: ServiceAccess,
): ProviderRequests {
  const { origin } = baseUrl;
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const headers = { accept: 'application/json', ...own, ...common, ...authHeaders(auth, key) };
  const keyInQuery = typeof auth === 'object' && 'query' in auth ? { [auth.query]: key } : {};
  const requestFor = (call: Call): HttpRequest => {
    const ask = call.operation === 'company' ? company[call.identifier.kind] : undefined;
    if (!ask || call.operation === 'people') throw new Error('the adapter does not take this call');
    const { value } = call.identifier;
    const path = prefix + ask.path.replaceAll(placeholder, encode(value));
    const request = { method: ask.method, origin, path: path + queryOf(ask, value, keyInQuery) };
    if (ask.body === undefined) return { ...request, headers };
    return {
      ...request,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(fill(ask.body, value)),
    };
  };
  return { requestFor, probe: () => probeBy(company, requestFor) };
}

function authHeaders(auth: AdapterDefinition['auth'], key: string): Record<string, string> {
  if (auth === 'bearer') return { authorization: `Bearer ${key}` };
  if (auth === 'basic') {
    // Some services take a key as the user, without a password.
    const pair = key.includes(':') ? key : `${key}:`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  return 'header' in auth ? { [auth.header.toLowerCase()]: key } : {};
}

function queryOf({ query }: Ask, value: string, keyInQuery: Record<string, string>) {
  const pairs = Object.entries({ ...query, ...keyInQuery }).map(
    ([name, text]) => `${encode(name)}=${encode(text.replaceAll(placeholder, () => value))}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function fill(template: unknown, value: string): unknown {
  if (typeof template === 'string') return template.replaceAll(placeholder, () => value);
  if (Array.isArray(template)) return template.map((part) => fill(part, value));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, part]) => [name, fill(part, value)]),
  );
}

/** Also dots, because `/..` would be another path. */
function encode(value: string) {
  if (/^\.+$/.test(value)) return value.replaceAll('.', '%2E');
  return encodeURIComponent(value.toWellFormed()).replaceAll("'", '%27');
}

function probeBy(company: AdapterDefinition['company'], requestFor: (call: Call) => HttpRequest) {
  const kinds = ['fqdn', ...identifierKinds] as const;
  const kind = kinds.find((one) => company[one]) ?? 'fqdn';
  const identifier = { kind, value: kindWords[kind].example };
  const call: CompanyCall = { operation: 'company', identifier, country: 'AU' };
  const findingOf: Probe['findingOf'] = (_, found) => (found === 'invalid' ? 'unsure' : 'accepted');
  return { call, request: requestFor(call), mayBeCharged: true, findingOf };
}
