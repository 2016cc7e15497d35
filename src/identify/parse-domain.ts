import { parse } from 'tldts';
import { cleanCell, isBlank } from './clean-cell.ts';
import { isFreeMail } from './free-mail.ts';
import { isIpAddress, isWellFormed, toHostName } from './host-name.ts';
import { type Identified, isReject } from './identifier.ts';
import { hostsCustomers, isPlatformPage } from './platform-pages.ts';
import { redirectTarget } from './redirects.ts';
import { type Reject, rejectAs } from './rejects.ts';
import { type Address, splitAddress } from './split-address.ts';
import { splitValues } from './split-values.ts';

type DomainResult = Identified | Reject;

/**
 * Reads a cleaned cell that holds a domain, a web address or an e-mail address:
 * `https://www.Acme.com.au/about → acme.com.au`.
 */
export function parseDomain(cell: string): DomainResult {
  return parsePlainDomain(cell) ?? parseAnyDomain(cell);
}

/** Most cells need no cutting up: `acme.com.au`, `https://www.acme.com/about`, `jane@acme.com`. */
export function parsePlainDomain(cell: string): DomainResult | undefined {
  const [, mailbox, host, path = ''] = plainAddress.exec(cell) ?? [];
  if (host === undefined) return undefined;
  return judgeHost(withoutWww(host), path, mailbox !== undefined);
}

function parseAnyDomain(cell: string): DomainResult {
  if (onlyWords.test(cell)) return rejectAs('not_a_domain');
  const parts = splitValues(cell);
  if (parts.length === 1 && parts[0] !== undefined) return parseOne(parts[0]);
  return chooseOne(parts);
}

/**
 * The same as a URL. The scheme, www, port and path are spellings of one website: the service
 * compares hosts, and a list that has the same site both ways must ask for it once.
 */
export function parseWebsite(cell: string): DomainResult {
  const domain = parseDomain(cell);
  if (isReject(domain)) return domain;
  const website: Identified = { kind: 'website', value: websiteOf(domain.value) };
  if (domain.alternates === undefined) return website;
  const alternates = domain.alternates.map(({ value }) => websiteOf(value));
  return { ...website, alternates: alternates.map((value) => ({ kind: 'website', value })) };
}

/**
 * The host of a web address, bare host or e-mail address, judged by nobody:
 * `https://user@www.Acme.example:8080/x → acme.example`. Null when there is none.
 */
export function hostOf(text: string): string | null {
  const address = splitAddress(cleanCell(text));
  const host = address && toHostName(address.host);
  return host ? withoutWww(host) : null;
}

const lookup = {
  allowPrivateDomains: true,
  detectIp: false,
  extractHostname: false,
  validateHostname: false,
};
/** On the Public Suffix List, but no company is reached there, nor at `home.arpa`. */
const specialEnding = /(?:^|\.)(?:onion|arpa)$/;
const shortNumber = /^\d+(?:\.\d+){0,2}$/;
/** No query, since that may carry the address that is meant; no punycode, which needs a check. */
const plainAddress =
  /^(?:https?:\/\/|([a-z0-9._+-]+)@)?((?!xn--)[a-z0-9-]+(?:\.(?!xn--)[a-z0-9-]+)*\.[a-z]{2,})(\/[a-zA-Z0-9/._~-]*)?$/;
const onlyWords = /^[^.。:@]*\s[^.。:@]*$/;
/** A platform may name the page in its query or hash as well: `facebook.com/#!/acme`. */
const hasPath = /^[/\\]+[^/\\?#]|[?#]+[^?#]/;
const explicitUrl = /^[a-z]+:\/\/|[^/][/?#][^/]/i;
const trivialSubdomain = /^www\d*$/;
const mailboxName = /^[^\s"(),:;<>@[\\\]]*$/;

function parseOne(text: string, redirectsLeft = 3): DomainResult {
  const address = splitAddress(text);
  if (address === null) return rejectAs('not_a_domain');
  const host = toHostName(address.host);
  if (host === null || host === '') return rejectAs('not_a_domain');
  if (address.user !== undefined) {
    if (address.isUrl || address.user.includes(':')) return rejectAs('userinfo');
    if (!mailboxName.test(address.user)) return rejectAs('not_a_domain');
  }
  if (isIpAddress(host)) return rejectAs(looksLikeIp(address) ? 'ip_address' : 'not_a_domain');

  const target = redirectsLeft > 0 ? redirectTarget(host, address.rest) : null;
  if (target !== null) return parseOne(target, redirectsLeft - 1);
  // `in/jane` is a path whose first word happens to be the ending of India.
  const isPath = !host.includes('.') && address.rest !== '' && !address.isUrl;
  if (isPath) return rejectAs('not_a_domain');
  return judgeHost(withoutWww(host), address.rest, address.user !== undefined);
}

function judgeHost(host: string, rest: string, isMail: boolean): DomainResult {
  if (!isWellFormed(host)) return rejectAs('not_a_domain');
  const { domain, isIcann, isPrivate } = parse(host, lookup);
  const isListed = isIcann === true || isPrivate === true;
  if (!isListed || specialEnding.test(host)) {
    return rejectAs(host.includes('.') ? 'unknown_tld' : 'not_a_domain');
  }
  if (domain === null || domain.startsWith('www.')) return rejectAs('public_suffix');
  if (domain.includes('_')) return rejectAs('not_a_domain');
  if (isMail && isFreeMail(host, domain)) return rejectAs('freemail');
  if (isPlatformPage(host, domain, hasPath.test(rest))) return rejectAs('platform_page');

  const value = hostsCustomers(host, domain) ? host : domain;
  const isWorthATry = host !== value && !host.includes('_') && !isTrivial(host, value);
  if (!isWorthATry) return { kind: 'fqdn', value };
  return { kind: 'fqdn', value, alternates: [{ kind: 'fqdn', value: host }] };
}

/** Several parts are one value when they all say the same; words beside a value are no value. */
function chooseOne(parts: readonly string[]): DomainResult {
  const results = parts.map(parsePart);
  const spoken = results.filter((result) => !isReject(result) || result.reject !== 'blank');
  const first = spoken[0];
  if (first === undefined) return rejectAs('not_a_domain');
  if (new Set(spoken.map(outcomeOf)).size === 1) return first;
  const values = spoken.filter((result) => outcomeOf(result) !== 'not_a_domain');
  if (new Set(values.map(outcomeOf)).size > 1) {
    return values.every(isReject) ? (values[0] ?? first) : rejectAs('multiple_values');
  }
  // Words behind a whole address belong to its path or are a remark: https://acme.com/our team
  const isAddressAndWords = values.length === 1 && values[0] === first;
  return isAddressAndWords && explicitUrl.test(parts[0] ?? '') ? first : rejectAs('not_a_domain');
}

/** A word without a dot is a word here, even if it is an ending: `acme.com Sydney`. */
function parsePart(part: string): DomainResult {
  if (isBlank(part)) return rejectAs('blank');
  return /[.。:]/.test(part) ? parseOne(part) : rejectAs('not_a_domain');
}

function outcomeOf(result: DomainResult): string {
  return isReject(result) ? result.reject : result.value;
}

/** A number with fewer parts is an IP address only to a browser: `1.5`, `12345`. */
function looksLikeIp({ isUrl, host }: Address): boolean {
  return isUrl || !shortNumber.test(host);
}

function isTrivial(host: string, domain: string): boolean {
  return trivialSubdomain.test(host.slice(0, -domain.length - 1));
}

/** www is never the name of a company, so what is left has to be a domain. */
function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

function websiteOf(host: string): string {
  return `https://${host}/`;
}
