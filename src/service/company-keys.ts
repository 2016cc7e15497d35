import type { Company } from '../contract/company.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import { digitsOf } from '../identify/abn/parse-abn.ts';
import { cleanCell } from '../identify/clean-cell.ts';
import { hostOf } from '../identify/domain/parse-domain.ts';
import { isReject } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';
import { slugOf } from '../identify/network/parse-network-url.ts';
import { parseCountry } from '../identify/parse-country.ts';
import { assertNever } from '../runtime/assert-never.ts';

/** The columns of the store by which a company is found. */
export type KeyColumn = 'id' | 'abn' | 'fqdn' | 'website' | 'network';

/** A column of the store and the cleaned value to look for in it. */
export interface Key {
  readonly column: KeyColumn;
  readonly value: string;
}

/** The cleaned identifiers under which a company is stored; null for one that it lacks. */
export interface CompanyKeys extends Record<Exclude<KeyColumn, 'id'>, string | null> {
  readonly id: string;
  readonly country: string | null;
}

export function companyKeys(company: Company): CompanyKeys {
  const { industry_codes: codes, social_media: social } = company;
  const country = parseCountry(company.hq_country ?? '');
  return {
    id: company.id,
    abn: abnKey(codes?.abn ?? '') ?? abnKey(codes?.acn ?? ''),
    fqdn: domainKeys(company.fqdn ?? '')[0] ?? null,
    website: domainKeys(company.website ?? '')[0] ?? null,
    network: slugOf(company.network ?? social?.network ?? ''),
    country: typeof country === 'string' ? country : null,
  };
}

/** The keys to look for a company by, best first. Empty when the text cannot be an identifier. */
export function lookupKeys(kind: IdentifierKind, text: string): Key[] {
  switch (kind) {
    case 'id':
      return [...new Set([text.trim(), cleanCell(text)])].map((value) => ({ column: 'id', value }));
    case 'abn':
      return keysIn(['abn'], abnKey(text));
    case 'fqdn':
      return domainKeys(text).flatMap((host) => keysIn(['fqdn', 'website'], host));
    case 'website':
      return domainKeys(text).flatMap((host) => keysIn(['website', 'fqdn'], host));
    case 'ln_slug':
    case 'ln_url':
      return keysIn(['network'], slugOf(text));
    default:
      return assertNever(kind);
  }
}

function keysIn(columns: readonly KeyColumn[], value: string | null): Key[] {
  return value === null ? [] : columns.map((column) => ({ column, value }));
}

/** The ABN of any spelling. Digits that are no valid ABN are kept, as the store may hold them. */
function abnKey(text: string): string | null {
  const abn = identifyCell(text, 'abn');
  return isReject(abn) ? digitsOf(text) || null : abn.value;
}

/**
 * The full host first, then its registered domain. A host outside the Public Suffix List is kept as
 * it is, because the service does not reject. A page on a platform gives no key: it would find the
 * company behind the platform.
 */
function domainKeys(text: string): string[] {
  const domain = identifyCell(text, 'fqdn');
  if (!isReject(domain)) {
    return [...(domain.alternates ?? []).map(({ value }) => value), domain.value];
  }
  const isElsewhere = domain.reject === 'platform_page' || domain.reject === 'multiple_values';
  const host = isElsewhere ? null : hostOf(text);
  return host === null ? [] : [host];
}
