/** The service uses the first of these that a request has. */
export const identifierKinds = ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url'] as const;

export type IdentifierKind = (typeof identifierKinds)[number];
