/** If a request has several identifiers, the service uses the first in this order. */
export const identifierMeanings = {
  id: "The service's identifier for the company.",
  abn: 'Australian Business Number.',
  fqdn: 'Fully-qualified domain name.',
  website: 'Company website URL.',
  ln_slug: 'Company slug on a professional network.',
  ln_url: 'Full URL of the company page on a professional network.',
} as const;

export type IdentifierKind = keyof typeof identifierMeanings;

export const identifierKinds = Object.keys(identifierMeanings) as [
  IdentifierKind,
  ...IdentifierKind[],
];
