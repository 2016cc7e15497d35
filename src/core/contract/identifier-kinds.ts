/**
 * In order of precedence: if a request has several, the service uses the first one in this list.
 */
export const identifierKinds = ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url'] as const;

export type IdentifierKind = (typeof identifierKinds)[number];
