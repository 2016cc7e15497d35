import type { CompanyCall } from '../contract/call.ts';
import type { CompanyIdentifiers } from '../contract/company-identifiers.ts';
import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';
import { type Identifier, isReject } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';
import type { Match } from './outcomes.ts';

/** Bare values, the most precise first: `shop.acme.com.au, acme.com.au`. */
export type CompanyIdentity = Readonly<Record<'id' | keyof CompanyIdentifiers, readonly string[]>>;

interface KindRules {
  /** Its first value is an exact match. */
  readonly own: keyof CompanyIdentity;
  /** Its values, and further ones of `own`, match as aliases. */
  readonly other?: keyof CompanyIdentity;
  /** The answer also serves lookups by the first value of `own`. */
  readonly isAlias?: true;
  /** First word of the suppression key. Kinds that share it read the same fields. */
  readonly keyedAs: string;
  /** Keeps the part of a value that is compared. */
  readonly bare?: (value: string) => string;
  /** Default: `mismatch`. */
  readonly ifDifferent?: 'unverified';
}

/** What each kind means for reuse, matching and suppression. */
export const kindRules: Readonly<Record<IdentifierKind, KindRules>> = {
  id: { own: 'id', isAlias: true, keyedAs: 'id' },
  abn: { own: 'abn', other: 'acn', isAlias: true, keyedAs: 'abn' },
  fqdn: { own: 'fqdn', other: 'website', isAlias: true, keyedAs: 'domain' },
  website: {
    own: 'website',
    other: 'fqdn',
    keyedAs: 'domain',
    bare: (url) => new URL(url).hostname,
  },
  ln_slug: { own: 'network', other: 'socialNetwork', isAlias: true, keyedAs: 'page' },
  ln_url: {
    own: 'network',
    other: 'socialNetwork',
    keyedAs: 'page',
    bare: (url) => url.slice(url.lastIndexOf('/') + 1),
    // A page has a number and a slug, so different names may mean the same page.
    ifDifferent: 'unverified',
  },
};

const aliasKinds = identifierKinds.filter((kind) => kindRules[kind].isAlias);

/** `https://acme.com.au/ → acme.com.au` */
export function bareValue({ kind, value }: Identifier): string {
  return kindRules[kind].bare?.(value) ?? value;
}

/** Getters, because most answers match without these values, and parsing takes time. */
export function readIdentity(companyId: string, identifiers: CompanyIdentifiers): CompanyIdentity {
  return {
    id: [companyId],
    abn: readValues(identifiers.abn, 'abn'),
    fqdn: readValues(identifiers.fqdn, 'fqdn'),
    network: readValues(identifiers.network, 'ln_slug'),
    get acn() {
      return readValues(identifiers.acn, 'abn');
    },
    get website() {
      return readValues(identifiers.website, 'fqdn');
    },
    get socialNetwork() {
      return readValues(identifiers.socialNetwork, 'ln_slug');
    },
  };
}

export function readValues(text: string, as: IdentifierKind): string[] {
  const result = identifyCell(text, as);
  return isReject(result) ? [] : [...(result.alternates ?? []), result].map(bareValue);
}

/** Other calls for which the same answer is valid. */
export function aliasCalls(
  company: CompanyIdentity,
  { identifier: asked, country }: CompanyCall,
): CompanyCall[] {
  const calls: CompanyCall[] = [];
  for (const kind of aliasKinds) {
    // The first alone: the answer for `shop.acme.com.au` must not be used for `acme.com.au`.
    const [value] = company[kindRules[kind].own];
    if (value === undefined || (kind === asked.kind && value === asked.value)) continue;
    calls.push({ operation: 'company', identifier: { kind, value }, country });
  }
  return calls;
}

/** Compares the answer with the question: the company may be renamed, bought or mixed up. */
export function matchCompany(identifier: Identifier, company: CompanyIdentity): Match {
  const { own, other, ifDifferent = 'mismatch' } = kindRules[identifier.kind];
  const value = bareValue(identifier);
  const known = company[own];
  if (known[0] === value) return 'exact';
  const others = other ? company[other] : [];
  if (known.includes(value) || others.includes(value)) return 'alias';
  return known.length + others.length > 0 ? ifDifferent : 'unverified';
}
