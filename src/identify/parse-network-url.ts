import { cleanCell, isBlank } from './clean-cell.ts';
import { toHostName } from './host-name.ts';
import { type Identified, isReject } from './identifier.ts';
import { findNetworkPage, type NetworkPage, pageOfUrn } from './network-paths.ts';
import { parseDomain } from './parse-domain.ts';
import { redirectTarget } from './redirects.ts';
import { type Reject, rejectAs } from './rejects.ts';
import { splitAddress } from './split-address.ts';
import { splitValues } from './split-values.ts';

type NetworkResult = Identified | Reject;

/** Reads a cleaned cell: `au.linkedin.com/company/SMEC/about?trk=x → ln_slug smec`. */
export function parseNetworkUrl(cell: string): NetworkResult {
  return parsePlainPage(cell) ?? parseAnyPage(cell);
}

/** Most pages are written the way the network writes them. */
function parsePlainPage(cell: string): NetworkResult | undefined {
  const slug = plainPage.exec(cell)?.[1];
  const isName = slug !== undefined && !isBlank(slug) && !reservedNames.has(slug);
  return isName ? { kind: 'ln_slug', value: slug } : undefined;
}

function parseAnyPage(cell: string): NetworkResult {
  if (brokenName.test(cell)) return rejectAs('network_no_company');
  const parts = splitValues(cell);
  if (parts.length === 1 && parts[0] !== undefined) return parseOne(parts[0]);
  return chooseOne(parts);
}

/** The same, and a bare slug as well: `SMEC → ln_slug smec`. */
export function parseNetworkSlug(cell: string): NetworkResult {
  const bare = cell.replace(slugDecoration, '');
  const slug = cleanSlug(bare);
  if (slug !== null) return identifierOf('company', slug);
  return parseNetworkUrl(cell);
}

/** The slug or number of a bare slug or network address, judged by nobody; null without one. */
export function slugOf(text: string): string | null {
  const result = parseNetworkSlug(cleanCell(text));
  if (isReject(result)) return null;
  return result.value.slice(result.value.lastIndexOf('/') + 1);
}

/** `@smec`, `/smec/` and `smec?trk=x` mean the slug inside. */
const slugDecoration = /^[@/]|\/$|\/?\?.*$/g;
const looksLikeAddress = /[/\\:]|^(?:[a-z]{1,3}\.)?linkedin\.|^lnkd\.in/i;
const plainPage =
  /^(?:https?:\/\/)?(?:[a-z]{2,3}\.)?linkedin\.com\/company\/([a-z][a-z0-9-]*[a-z0-9])\/?(?:\?[\w=&.-]*)?$/;
/**
 * A word right behind the name was part of it, `company/smec group`, and half a name is another
 * company. An address behind it is a second value.
 */
const brokenName =
  /\/(?:company|school)\/[^\s/?#,;|<>()]+[ \t]+(?!(?:and|or)[ \t]+\S*[.:])(?!\S*[.:@]\S)[\p{L}\p{N}&]/iu;
/** `company/n/a` and `company/n%2Fa` say that there is none. */
const notAvailable = /\/n(?:\/|%2f)a\/?$/i;
const networkHost = /(?:^|\.)linkedin\.(?:com|cn)$/;
const shortHost = /^(?:www\.)?lnkd\.in$/;
const barePath = /^\/?(?:company|company-beta|school|showcase|in|pub)\/[^/]/i;
const urn = /^urn:li:([a-z_]+):\(?([^\s:,)]+)/i;
const encodedUrl = /^(?:https?|urn)%3a/i;

function parseOne(text: string, redirectsLeft = 3): NetworkResult {
  const decoded = encodedUrl.test(text) ? decode(text) : text;
  const [, type, number] = urn.exec(decoded) ?? [];
  if (type !== undefined) return identify(pageOfUrn(type), number);
  if (barePath.test(decoded)) return parsePath(decoded);

  const address = splitAddress(decoded);
  const host = address && toHostName(address.host);
  if (!address || !host) return rejectAs('not_a_network_url');
  const target = redirectsLeft > 0 ? redirectTarget(host, address.rest) : null;
  if (target !== null) return parseOne(target, redirectsLeft - 1);
  const isShort = shortHost.test(host);
  if (!isShort && !networkHost.test(host)) return rejectAs('not_a_network_url');
  if (address.user !== undefined) return rejectAs(address.isUrl ? 'userinfo' : 'not_a_network_url');
  return isShort ? rejectAs('network_shortlink') : parsePath(address.rest);
}

function parsePath(rest: string): NetworkResult {
  const [path = '', query = ''] = rest.split(/[?#]/, 2);
  if (notAvailable.test(path)) return rejectAs('network_no_company');
  const found = findNetworkPage(path.split(/[/\\]+/).filter((segment) => segment !== ''));
  if (found === undefined) return rejectAs('network_no_company');
  // Old school pages carry their number in the query: /edu/school?id=10214
  const number = /(?:^|&)id=(\d+)/.exec(query)?.[1];
  const isOldSchool = found.page === 'school' && found.name === 'school' && number !== undefined;
  return identify(found.page, isOldSchool ? number : found.name);
}

function identify(page: NetworkPage, name: string | undefined): NetworkResult {
  if (page !== 'company' && page !== 'school') return rejectAs(page);
  const [decoded = ''] = decode(name ?? '').split('/', 1);
  const [, type, number] = urn.exec(decoded) ?? [];
  if (type !== undefined) return identify(pageOfUrn(type), number);
  const slug = cleanSlug(decoded);
  return slug === null ? rejectAs('network_no_company') : identifierOf(page, slug);
}

function identifierOf(page: 'company' | 'school', slug: string): Identified {
  const isNumber = /^\d+$/.test(slug);
  if (page === 'company' && !isNumber) return { kind: 'ln_slug', value: slug };
  // 01035 and 1035 are one number.
  const name = isNumber ? slug.replace(/^0+(?=\d)/, '') : slug;
  return { kind: 'ln_url', value: `https://www.linkedin.com/${page}/${name}` };
}

/** Pages of the network that stand where a slug would. */
const reservedNames = new Set(['setup', 'unavailable', 'new', 'create', 'login', 'undefined']);
const slugCharacters = /^[\p{L}\p{M}\p{N}\p{So}\-_.&'’+!~*·]+$/u;
/** The network allows a hundred characters; percent signs and accents take more. */
const maxSlugLength = 300;
const trackingBehind = /&[a-z_]+=.*$/i;
const junkBehind = /[.,;:!*'’"”)\]}<>]+$/;

/** Null when the text cannot be a slug: blank, a reserved word, or with characters none has. */
function cleanSlug(text: string): string | null {
  if (text.length > maxSlugLength) return null;
  const lower = cleanCell(text).replace(trackingBehind, '').toLowerCase().normalize('NFKC');
  const slug = lower.replace(junkBehind, '');
  if (isBlank(slug) || reservedNames.has(slug) || looksLikeAddress.test(slug)) return null;
  if (!slugCharacters.test(slug)) return null;
  return /[\p{L}\p{N}]/u.test(slug) ? slug : null;
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Several addresses are one when all name the same page; a domain beside them is a second value. */
function chooseOne(parts: readonly string[]): NetworkResult {
  const results = parts.map((part) => ({ part, result: parseOne(part) }));
  const isOnNetwork = ({ result }: { result: NetworkResult }) =>
    !isReject(result) || result.reject !== 'not_a_network_url';
  const pages = results.filter(isOnNetwork).map(({ result }) => result);
  const first = pages[0];
  if (first === undefined) return rejectAs('not_a_network_url');
  const outcomes = new Set(pages.map((page) => (isReject(page) ? page.reject : page.value)));
  const hasDomain = results.some(
    (entry) => !isOnNetwork(entry) && !isReject(parseDomain(entry.part)),
  );
  return hasDomain || outcomes.size > 1 ? rejectAs('multiple_values') : first;
}
