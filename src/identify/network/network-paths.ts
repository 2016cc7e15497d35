import type { RejectCode } from '../rejects.ts';

/** What a path on the network leads to: a page of an organisation, or the reason to reject it. */
export type NetworkPage = 'company' | 'school' | RejectCode;

const pages = new Map<string, NetworkPage>([
  ['company', 'company'],
  ['company-beta', 'company'],
  ['companies', 'company'],
  ['organization', 'company'],
  ['organizations', 'company'],
  ['school', 'school'],
  ['edu', 'school'],
  ['showcase', 'network_showcase'],
  ['in', 'network_person'],
  ['pub', 'network_person'],
  ['profile', 'network_person'],
  ['people', 'network_person'],
  ['slink', 'network_shortlink'],
]);

/** Pages of the products for sellers and recruiters. */
const productPages = new Map<string, NetworkPage>([
  ['company', 'company'],
  ['companies', 'company'],
  ['account', 'company'],
  ['accounts', 'company'],
  ['lead', 'network_person'],
  ['people', 'network_person'],
  ['profile', 'network_person'],
]);
const products = new Set(['sales', 'recruiter', 'talent']);

/** Segments that only say how the page is shown: mobile, from a mail, signed out. */
const decorations = new Set([
  'comm',
  'mwlite',
  'm',
  'mobile',
  'organization-guest',
  'organization_guest',
]);
const language = /^[a-z]{2}(?:[-_][a-z]{2})?$/;

/**
 * Finds the kind of page and the segment with its name:
 * `['en', 'company', 'smec', 'about'] → company, smec`. Undefined for a path without a page.
 */
export function findNetworkPage(
  segments: readonly string[],
): { page: NetworkPage; name: string | undefined } | undefined {
  const [first, ...rest] = segments;
  if (first === undefined) return undefined;
  const word = first.toLowerCase();
  const page = pages.get(word);
  if (page !== undefined) return { page, name: rest[0] };
  if (products.has(word)) {
    const productPage = productPages.get(rest[0]?.toLowerCase() ?? '');
    // These products name companies by number; a word there is a page of the product.
    const isCompany = productPage !== 'company' || /\d$/.test(rest[1] ?? '');
    return isCompany && productPage ? { page: productPage, name: rest[1] } : undefined;
  }
  const isDecoration = decorations.has(word) || language.test(word);
  return isDecoration ? findNetworkPage(rest) : undefined;
}

/** The kind of page by the type of a URN: `fsd_company` in `urn:li:fsd_company:1035`. */
export function pageOfUrn(type: string): NetworkPage {
  const word = type.toLowerCase();
  if (word.includes('brand') || word.includes('showcase')) return 'network_showcase';
  if (/(?:company|organization)$/.test(word)) return 'company';
  if (word.endsWith('school')) return 'school';
  if (/(?:person|member|profile|lead)$/.test(word)) return 'network_person';
  return 'network_no_company';
}
