import { redirectTarget, splitAddress, splitValues, toHostName } from './address.ts';
import { cleanCell, isBlank } from './clean-cell.ts';
import {
  type CellResult,
  type Identified,
  isReject,
  type RejectCode,
  rejectAs,
} from './identifier.ts';
import { parseDomain } from './parse-domain.ts';

/** `au.linkedin.com/company/SMEC/about?trk=x → ln_slug smec` */
export function parseNetworkUrl(cell: string): CellResult {
  return parsePlainPage(cell) ?? parseAnyPage(cell);
}

function parsePlainPage(cell: string): CellResult | undefined {
  const slug = plainPage.exec(cell)?.[1];
  const isName = slug !== undefined && !isBlank(slug) && !reservedNames.has(slug);
  return isName ? { kind: 'ln_slug', value: slug } : undefined;
}

function parseAnyPage(cell: string): CellResult {
  if (brokenName.test(cell)) return rejectAs('network_no_company');
  return choosePage(splitValues(cell));
}

export function parseNetworkSlug(cell: string): CellResult {
  const bare = cell.replace(slugDecoration, '');
  const slug = cleanSlug(bare);
  if (slug !== null) return identifierOf('company', slug);
  return parseNetworkUrl(cell);
}

/** `@smec`, `/smec/`, `smec?trk=x` */
const slugDecoration = /^[@/]|\/$|\/?\?.*$/g;
const looksLikeAddress = /[/\\:]|^(?:[a-z]{1,3}\.)?linkedin\.|^lnkd\.in/i;
const plainPage =
  /^(?:https?:\/\/)?(?:[a-z]{2,3}\.)?linkedin\.com\/company\/([a-z][a-z0-9-]*[a-z0-9])\/?(?:\?[\w=&.-]*)?$/;
/** `company/smec group` is rejected, because `smec` may be a different company. */
const brokenName =
  /\/(?:company|school)\/[^\s/?#,;|<>()]+[ \t]+(?!(?:and|or)[ \t]+\S*[.:])(?!\S*[.:@]\S)[\p{L}\p{N}&]/iu;
/** `company/n/a`, `company/n%2Fa` */
const notAvailable = /\/n(?:\/|%2f)a\/?$/i;
const networkHost = /(?:^|\.)linkedin\.(?:com|cn)$/;
const shortHost = /^(?:www\.)?lnkd\.in$/;
const barePath = /^\/?(?:company|company-beta|school|showcase|in|pub)\/[^/]/i;
const urn = /^urn:li:([a-z_]+):\(?([^\s:,)]+)/i;
const encodedUrl = /^(?:https?|urn)%3a/i;

function parsePage(text: string, redirectsLeft = 3): CellResult {
  const decoded = encodedUrl.test(text) ? decode(text) : text;
  const [, type, number] = urn.exec(decoded) ?? [];
  if (type !== undefined) return identify(pageOfUrn(type), number);
  if (barePath.test(decoded)) return parsePath(decoded);

  const address = splitAddress(decoded);
  const host = address && toHostName(address.host);
  if (!address || !host) return rejectAs('not_a_network_url');
  const target = redirectsLeft > 0 ? redirectTarget(host, address.rest) : null;
  if (target !== null) return parsePage(target, redirectsLeft - 1);
  const isShort = shortHost.test(host);
  if (!isShort && !networkHost.test(host)) return rejectAs('not_a_network_url');
  if (address.user !== undefined) return rejectAs(address.isUrl ? 'userinfo' : 'not_a_network_url');
  return isShort ? rejectAs('network_shortlink') : parsePath(address.rest);
}

function parsePath(rest: string): CellResult {
  const [path = '', query = ''] = rest.split(/[?#]/, 2);
  if (notAvailable.test(path)) return rejectAs('network_no_company');
  const page = findNetworkPage(path.split(/[/\\]+/).filter((segment) => segment !== ''));
  if (page === undefined) return rejectAs('network_no_company');
  // `/edu/school?id=10214`
  const number = /(?:^|&)id=(\d+)/.exec(query)?.[1];
  const isOldSchool = page.page === 'school' && page.name === 'school' && number !== undefined;
  return identify(page.page, isOldSchool ? number : page.name);
}

function identify(page: NetworkPage, name: string | undefined): CellResult {
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
  // 01035 and 1035 are the same page and must share a call.
  const name = isNumber ? slug.replace(/^0+(?=\d)/, '') : slug;
  return { kind: 'ln_url', value: `https://www.linkedin.com/${page}/${name}` };
}

const reservedNames = new Set(['setup', 'unavailable', 'new', 'create', 'login', 'undefined']);
const slugCharacters = /^[\p{L}\p{M}\p{N}\p{So}\-_.&'’+!~*·]+$/u;
/** The network allows 100 characters, which percent-encoding makes longer. */
const maxSlugLength = 300;
const trailingParameters = /&[a-z_]+=.*$/i;
const trailingPunctuation = /[.,;:!*'’"”)\]}<>]+$/;

function cleanSlug(text: string) {
  if (text.length > maxSlugLength) return null;
  const lower = cleanCell(text).replace(trailingParameters, '').toLowerCase().normalize('NFKC');
  const slug = lower.replace(trailingPunctuation, '');
  if (isBlank(slug) || reservedNames.has(slug) || looksLikeAddress.test(slug)) return null;
  if (!slugCharacters.test(slug)) return null;
  return /[\p{L}\p{N}]/u.test(slug) ? slug : null;
}

function decode(text: string) {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function choosePage(parts: readonly string[]): CellResult {
  const results = parts.map((part) => ({ part, result: parsePage(part) }));
  const isOnNetwork = ({ result }: { result: CellResult }) =>
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

type NetworkPage = 'company' | 'school' | RejectCode;

const pages = pagesBy({
  company: 'company company-beta companies organization organizations',
  school: 'school edu',
  network_showcase: 'showcase',
  network_person: 'in pub profile people',
  network_shortlink: 'slink',
});

const productPages = pagesBy({
  company: 'company companies account accounts',
  network_person: 'lead people profile',
});

/** `{company: 'company companies'} → companies: company, …` */
function pagesBy(segments: { readonly [Page in NetworkPage]?: string }) {
  const pairs = Object.entries(segments).flatMap(([page, words]) =>
    words.split(' ').map((word) => [word, page as NetworkPage] as const),
  );
  return new Map<string, NetworkPage>(pairs);
}

const products = new Set(['sales', 'recruiter', 'talent']);

/** Path segments that only change how a page is shown: on mobile, from a mail, or signed out. */
const decorations = 'comm mwlite m mobile organization-guest organization_guest'.split(' ');
const language = /^[a-z]{2}(?:[-_][a-z]{2})?$/;

/** `['en', 'company', 'smec', 'about'] → company, smec` */
function findNetworkPage(
  segments: readonly string[],
): { page: NetworkPage; name: string | undefined } | undefined {
  const [first, ...rest] = segments;
  if (first === undefined) return undefined;
  const word = first.toLowerCase();
  const page = pages.get(word);
  if (page !== undefined) return { page, name: rest[0] };
  if (products.has(word)) {
    const productPage = productPages.get(rest[0]?.toLowerCase() ?? '');
    // `sales/company/1035` is a company; `sales/accounts/insights` is a page of the sales tool.
    const isCompany = productPage !== 'company' || /\d$/.test(rest[1] ?? '');
    return isCompany && productPage ? { page: productPage, name: rest[1] } : undefined;
  }
  const isDecoration = decorations.includes(word) || language.test(word);
  return isDecoration ? findNetworkPage(rest) : undefined;
}

/** `fsd_company → company` */
function pageOfUrn(type: string): NetworkPage {
  const word = type.toLowerCase();
  if (word.includes('brand') || word.includes('showcase')) return 'network_showcase';
  if (/(?:company|organization)$/.test(word)) return 'company';
  if (word.endsWith('school')) return 'school';
  if (/(?:person|member|profile|lead)$/.test(word)) return 'network_person';
  return 'network_no_company';
}
