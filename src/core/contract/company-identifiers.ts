import type { IdentifierKind } from './identifier-kinds.ts';

type OwnField = Exclude<IdentifierKind, 'id' | 'ln_slug' | 'ln_url'>;

/** Where the identifiers stand in our record of a company. */
export const identifierPaths = {
  abn: 'industry_codes.abn',
  acn: 'industry_codes.acn',
  fqdn: 'fqdn',
  website: 'website',
  network: 'network',
  socialNetwork: 'social_media.network',
} as const satisfies Record<OwnField | 'acn' | 'network' | 'socialNetwork', string>;

/** As the service wrote them; empty if it has none. */
export type CompanyIdentifiers = Readonly<Record<keyof typeof identifierPaths, string>>;

/** A field by which an answer is compared with the lookup. */
export type IdentifierField = 'id' | keyof CompanyIdentifiers;

export const identifierFields = Object.keys(identifierPaths) as (keyof CompanyIdentifiers)[];
