import { keptVersion, writeKeptCompany } from '../../core/columns/kept-company.ts';
import { type ParsedIdentifiers, parseIdentifiers } from '../../core/rules/match-company.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { Provider } from './provider.ts';

/** In the fields of `Person`. */
export function peopleIn(provider: Provider, body: unknown): unknown[] {
  return provider.people?.(body)?.people.map(provider.record) ?? [];
}

export function identifiersIn(
  provider: Provider,
  companyId: string,
  body: unknown,
): ParsedIdentifiers {
  return parseIdentifiers(companyId, provider.identifiers(body));
}

/** What is stored of a company beside its body. */
export function readCompany(provider: Provider, companyId: string, body: Buffer) {
  const json = readAnswerJson(body);
  const identifiers = provider.identifiers(json);
  const bytes =
    body.length > largestBodyBytes
      ? undefined
      : writeKeptCompany(provider.record(json), identifiers);
  return {
    identifiers: parseIdentifiers(companyId, identifiers),
    kept: bytes && { bytes, version: versionOfKept(provider) },
  };
}

export type ReadCompany = ReturnType<typeof readCompany>;

/** Larger companies are rare, and would take their memory twice. */
const largestBodyBytes = 64 * 1_024;

const versions = new WeakMap<Provider, number>();

export function versionOfKept(provider: Provider): number {
  const known = versions.get(provider) ?? keptVersion(provider.version.record);
  versions.set(provider, known);
  return known;
}
