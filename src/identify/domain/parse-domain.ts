import { parse } from 'tldts';
import { isIpAddress, isWellFormed, toHostName } from '../address/host-name.ts';
import { redirectTarget } from '../address/redirects.ts';
import { type Address, splitAddress } from '../address/split-address.ts';
import { splitValues } from '../address/split-values.ts';
import { cleanCell, isBlank } from '../clean-cell.ts';
import { type Identified, isReject } from '../identifier.ts';
import { type Reject, rejectAs } from '../rejects.ts';
import { isFreeMail } from './free-mail.ts';
import { hostsCustomers, isPlatformPage } from './platform-pages.ts';

type DomainResult = Identified | Reject;

/**
 * Reads a cleaned cell that holds a domain, a web address or an e-mail address:
 * `https://www.Acme.com.au/about → acme.com.au`.
 */
export function parseDomain(cell: string): DomainResult {
  return parsePlainDomain(cell) ?? parseAnyDomain(cell);
}

/**
 * Reads the plain forms that most cells have: `acme.com.au`, `https://www.acme.com/about`,
 * `jane@acme.com`. Undefined for any other form.
 */
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
 * Reads a domain and writes it as a URL: `www.acme.com/about → https://acme.com/`. Scheme, www,
 * port and path are dropped: the service compares hosts, and two spellings of one website must
 * share a call.
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
 * The host of a URL, bare host or e-mail address, without any check of its domain:
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
/** Endings on the Public Suffix List under which no company has a website. */
const specialEnding = /(?:^|\.)(?:onion|arpa)$/;
const shortNumber = /^\d+(?:\.\d+){0,2}$/;
/** A query is not plain, because it may hold a redirect; nor is punycode, which may be invalid. */
const plainAddress =
  /^(?:https?:\/\/|([a-z0-9._+-]+)@)?((?!xn--)[a-z0-9-]+(?:\.(?!xn--)[a-z0-9-]+)*\.[a-z]{2,})(\/[a-zA-Z0-9/._~-]*)?$/;
const onlyWords = /^[^.。:@]*\s[^.。:@]*$/;
/** A query or hash counts as a path, because a platform may name the page there: `/#!/acme`. */
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
  // `in/jane` is a path, although `in` is the top-level domain of India.
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

/** Accepts several parts when all give the same value. Words may stand only after a whole URL. */
function chooseOne(parts: readonly string[]): DomainResult {
  const results = parts.map(parsePart);
  const filled = results.filter((result) => !isReject(result) || result.reject !== 'blank');
  const first = filled[0];
  if (first === undefined) return rejectAs('not_a_domain');
  if (new Set(filled.map(outcomeOf)).size === 1) return first;
  const values = filled.filter((result) => outcomeOf(result) !== 'not_a_domain');
  if (new Set(values.map(outcomeOf)).size > 1) {
    return values.every(isReject) ? (values[0] ?? first) : rejectAs('multiple_values');
  }
  // Words after a URL belong to its path or are a remark: https://acme.com/our team
  const isAddressAndWords = values.length === 1 && values[0] === first;
  return isAddressAndWords && explicitUrl.test(parts[0] ?? '') ? first : rejectAs('not_a_domain');
}

/** A part without a dot is a word and no host, even if it is a top-level domain. */
function parsePart(part: string): DomainResult {
  if (isBlank(part)) return rejectAs('blank');
  return /[.。:]/.test(part) ? parseOne(part) : rejectAs('not_a_domain');
}

function outcomeOf(result: DomainResult): string {
  return isReject(result) ? result.reject : result.value;
}

/** `1.5` and `12345` are IP addresses to a browser, but a cell means a number by them. */
function looksLikeIp({ isUrl, host }: Address): boolean {
  return isUrl || !shortNumber.test(host);
}

function isTrivial(host: string, domain: string): boolean {
  return trivialSubdomain.test(host.slice(0, -domain.length - 1));
}

/** `www.com` becomes `com` and is then rejected: www is never the name of a company. */
function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

function websiteOf(host: string): string {
  return `https://${host}/`;
}
