import { flatVersion, writeFlatCompany } from '../../core/columns/flat-company.ts';
import type { Hit } from '../../core/contract/call.ts';
import { type ParsedIdentifiers, parseIdentifiers } from '../../core/rules/match-company.ts';
import { readAnswerJson } from '../../core/values/parse-json.ts';
import type { Provider } from './provider.ts';

/** The people of an answer, in the fields of `Person`. */
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

/** What is stored of a company beside its body. Undefined if it was presumed, but is not there. */
export function readCompany(
  provider: Provider,
  companyId: string,
  { body, isPresumed }: Pick<Hit, 'body' | 'isPresumed'>,
) {
  let json: unknown;
  try {
    json = readAnswerJson(body);
  } catch (error) {
    if (isPresumed) return undefined;
    throw error;
  }
  if (isPresumed && !provider.presumed?.isRight(json, companyId)) return undefined;
  const identifiers = provider.identifiers(json);
  const bytes =
    body.length > largestBodyBytes
      ? undefined
      : writeFlatCompany(provider.record(json), identifiers);
  return {
    identifiers: parseIdentifiers(companyId, identifiers),
    flat: bytes && { bytes, version: versionOfFlat(provider) },
  };
}

export type ReadCompany = NonNullable<ReturnType<typeof readCompany>>;

/** Larger companies are rare, and would take their memory twice. */
const largestBodyBytes = 64 * 1_024;

const versions = new WeakMap<Provider, number>();

export function versionOfFlat(provider: Provider): number {
  const known = versions.get(provider) ?? flatVersion(provider.version.record);
  versions.set(provider, known);
  return known;
}
