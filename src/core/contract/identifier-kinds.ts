/** The kinds of identifier. Of several in a request, the service uses the first in this order. */
export const identifierKinds = ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url'] as const;

export type IdentifierKind = (typeof identifierKinds)[number];
