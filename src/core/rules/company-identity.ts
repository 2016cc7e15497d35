import type { CompanyCall } from '../contract/call.ts';
import type { CompanyIdentifiers } from '../contract/company-identifiers.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import { isReject } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';
import type { Match } from './outcomes.ts';

export interface CompanyIdentity {
  readonly id: string;
  readonly abn: string | null;
  readonly abnOfAcn: string | null;
  readonly domain: Domain | null;
  readonly website: Domain | null;
  readonly slug: string | null;
  readonly socialSlug: string | null;
}

/** `host` is `shop.acme.com.au`; `domain` is `acme.com.au`. */
interface Domain {
  readonly host: string;
  readonly domain: string;
}

export function readIdentity(companyId: string, identifiers: CompanyIdentifiers): CompanyIdentity {
  return {
    id: companyId,
    abn: readAbn(identifiers.abn),
    domain: readDomain(identifiers.fqdn),
    slug: readSlug(identifiers.network),
    get abnOfAcn() {
      return readAbn(identifiers.acn);
    },
    get website() {
      return readDomain(identifiers.website);
    },
    get socialSlug() {
      return readSlug(identifiers.socialNetwork);
    },
  };
}

/** Other calls for which the same answer is valid. */
export function aliasCalls(
  identity: CompanyIdentity,
  { identifier: own, country }: CompanyCall,
): CompanyCall[] {
  const { id, abn, domain, slug } = identity;
  const known = [
    { kind: 'id', value: id },
    { kind: 'abn', value: abn },
    // The answer for `shop.acme.com.au` must not be used for `acme.com.au`.
    { kind: 'fqdn', value: domain?.host ?? null },
    { kind: 'ln_slug', value: slug },
  ] as const;
  return known.flatMap(({ kind, value }) =>
    value === null || (kind === own.kind && value === own.value)
      ? []
      : [{ operation: 'company', identifier: { kind, value }, country } as const],
  );
}

function readAbn(value: string) {
  const result = identifyCell(value, 'abn');
  return isReject(result) ? null : result.value;
}

function readDomain(value: string): Domain | null {
  const result = identifyCell(value, 'fqdn');
  if (isReject(result)) return null;
  return { host: result.alternates?.[0]?.value ?? result.value, domain: result.value };
}

export function readSlug(value: string): string | null {
  const result = identifyCell(value, 'ln_slug');
  return isReject(result) ? null : lastSegment(result.value);
}

function lastSegment(address: string) {
  return address.slice(address.lastIndexOf('/') + 1);
}

/** Compares the answer with the question: the company may be renamed, bought or mixed up. */
export function matchCompany(
  identifier: { kind: IdentifierKind; value: string },
  company: CompanyIdentity,
): Match {
  if (isOwnName(identifier, company)) return 'exact';
  switch (identifier.kind) {
    case 'id':
      return identifier.value === company.id ? 'exact' : 'mismatch';
    case 'abn':
      return compare(identifier.value, [company.abn], [company.abnOfAcn]);
    case 'fqdn':
      return compareHost(identifier.value, company.domain, company.website);
    case 'website':
      return compareHost(new URL(identifier.value).hostname, company.website, company.domain);
    case 'ln_slug':
      return compare(identifier.value, [company.slug], [company.socialSlug]);
    case 'ln_url':
      return comparePage(identifier.value, company);
  }
}

function isOwnName(
  { kind, value }: { kind: IdentifierKind; value: string },
  { abn, domain, slug }: CompanyIdentity,
) {
  const own = { abn, fqdn: domain?.host, ln_slug: slug };
  return kind in own && own[kind as keyof typeof own] === value;
}

type Known = readonly (string | null | undefined)[];

function compare(value: string, own: Known, others: Known): Match {
  if (own.includes(value)) return 'exact';
  if (others.includes(value)) return 'alias';
  return [...own, ...others].some((known) => known != null) ? 'mismatch' : 'unverified';
}

function compareHost(
  value: string,
  own: CompanyIdentity['domain'],
  other: CompanyIdentity['domain'],
): Match {
  return compare(value, [own?.host], [own?.domain, other?.host, other?.domain]);
}

/** A page has a number and a slug, so different names may mean the same page. */
function comparePage(url: string, company: CompanyIdentity): Match {
  const page = lastSegment(url);
  if (page === company.slug) return 'exact';
  return page === company.socialSlug ? 'alias' : 'unverified';
}
