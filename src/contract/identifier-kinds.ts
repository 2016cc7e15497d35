/**
 * The ways to name a company, in the order in which they count: where a request carries several,
 * the first of this list decides.
 */
export const identifierKinds = ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url'] as const;

export type IdentifierKind = (typeof identifierKinds)[number];
