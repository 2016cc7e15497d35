/** If a request has several identifiers, the service uses the first in this order. */
export const identifierKinds = ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url'] as const;

export type IdentifierKind = (typeof identifierKinds)[number];
