import type { IdentifierKind } from './identifier-kinds.ts';

type OwnField = Exclude<IdentifierKind, 'id' | 'ln_slug' | 'ln_url'>;

/** As the service wrote them; empty if it has none. */
export type CompanyIdentifiers = Readonly<
  Record<OwnField | 'acn' | 'network' | 'socialNetwork', string>
>;

/** A field by which an answer is compared with the lookup. */
export type IdentifierField = 'id' | keyof CompanyIdentifiers;
