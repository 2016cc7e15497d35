import providers from 'email-providers/all.json' with { type: 'json' };
import { parse } from 'tldts';
import {
  type Address,
  isIpAddress,
  isWellFormed,
  redirectTarget,
  splitAddress,
  splitValues,
  toHostName,
} from './address.ts';
import { cleanCell, isBlank } from './clean-cell.ts';
import { type CellResult, type Identified, isReject, rejectAs } from './identifier.ts';

/** `https://www.Acme.com.au/about → acme.com.au`, `jane@acme.com → acme.com` */
export function parseDomain(cell: string): CellResult {
  return parsePlainDomain(cell) ?? parseAnyDomain(cell);
}

/** Fast path for most cells. */
export function parsePlainDomain(cell: string): CellResult | undefined {
  const [, mailbox, host, path = ''] = plainAddress.exec(cell) ?? [];
  if (host === undefined) return undefined;
  return identifyHost(withoutWww(host), path, mailbox !== undefined);
}

function parseAnyDomain(cell: string): CellResult {
  if (onlyWords.test(cell)) return rejectAs('not_a_domain');
  const parts = splitValues(cell);
  if (parts.length === 1 && parts[0] !== undefined) return parseAddress(parts[0]);
  return chooseDomain(parts);
}

/** `www.acme.com/about → https://acme.com/`, so all spellings of one website share a call. */
export function parseWebsite(cell: string): CellResult {
  const domain = parseDomain(cell);
  if (isReject(domain)) return domain;
  const website: Identified = { kind: 'website', value: websiteOf(domain.value) };
  if (domain.alternates === undefined) return website;
  const alternates = domain.alternates.map(({ value }) => websiteOf(value));
  return { ...website, alternates: alternates.map((value) => ({ kind: 'website', value })) };
}

/** `https://user@www.Acme.example:8080/x → acme.example`, not validated. */
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
/** On the Public Suffix List, but no company has a website there. */
const specialEnding = /(?:^|\.)(?:onion|arpa)$/;
/** Endings that no register has, and that only a slip of the keyboard explains. */
export const slips =
  /\.(?:(?:con|cmo|comm|ocm|cpm|vom|xom)(?=(?:\.(?:au|hk|my|ph|sg|vn))?$)|co(?=\.au$))/i;
const shortNumber = /^\d+(?:\.\d+){0,2}$/;
/** Excludes queries, which may contain a redirect, and punycode, which may be invalid. */
const plainAddress =
  /^(?:https?:\/\/|([a-z0-9._+-]+)@)?((?!xn--)[a-z0-9-]+(?:\.(?!xn--)[a-z0-9-]+)*\.[a-z]{2,})(\/[a-zA-Z0-9/._~-]*)?$/;
const onlyWords = /^[^.。:@]*\s[^.。:@]*$/;
/** A query or hash counts too, because a platform may name the page there: `/#!/acme`. */
const hasPath = /^[/\\]+[^/\\?#]|[?#]+[^?#]/;
const explicitUrl = /^[a-z]+:\/\/|[^/][/?#][^/]/i;
const trivialSubdomain = /^www\d*$/;
const mailboxName = /^[^\s"(),:;<>@[\\\]]*$/;

function parseAddress(text: string, redirectsLeft = 3): CellResult {
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
  if (target !== null) return parseAddress(target, redirectsLeft - 1);
  // `in/jane` is a path, although `in` is India's top-level domain.
  const isPath = !host.includes('.') && address.rest !== '' && !address.isUrl;
  if (isPath) return rejectAs('not_a_domain');
  return identifyHost(withoutWww(host), address.rest, address.user !== undefined);
}

function identifyHost(host: string, rest: string, isMail: boolean): CellResult {
  if (!isWellFormed(host)) return rejectAs('not_a_domain');
  const { domain, isIcann, isPrivate } = parse(host, lookup);
  const isListed = isIcann === true || isPrivate === true;
  if (!isListed || specialEnding.test(host)) {
    return rejectAs(host.includes('.') ? 'unknown_tld' : 'not_a_domain');
  }
  if (domain === null || domain.startsWith('www.')) return rejectAs('public_suffix');
  if (host !== domain && slips.test(`.${domain}`)) return rejectAs('unknown_tld');
  if (domain.includes('_')) return rejectAs('not_a_domain');
  if (isMail && isFreeMail(host, domain)) return rejectAs('freemail');
  if (isPlatformPage(host, domain, hasPath.test(rest))) return rejectAs('platform_page');

  const value = hostsCustomers(host, domain) ? host : domain;
  const isWorthATry = host !== value && !host.includes('_') && !isTrivial(host, value);
  if (!isWorthATry) return { kind: 'fqdn', value };
  return { kind: 'fqdn', value, alternates: [{ kind: 'fqdn', value: host }] };
}

function chooseDomain(parts: readonly string[]): CellResult {
  const results = parts.map(parsePart);
  const filled = results.filter((result) => !isReject(result) || result.reject !== 'blank');
  const first = filled[0];
  if (first === undefined) return rejectAs('not_a_domain');
  if (new Set(filled.map(outcomeOf)).size === 1) return first;
  const values = filled.filter((result) => outcomeOf(result) !== 'not_a_domain');
  if (new Set(values.map(outcomeOf)).size > 1) {
    return values.every(isReject) ? (values[0] ?? first) : rejectAs('multiple_values');
  }
  // Accepts `https://acme.com/our team`.
  const isAddressAndWords = values.length === 1 && values[0] === first;
  return isAddressAndWords && explicitUrl.test(parts[0] ?? '') ? first : rejectAs('not_a_domain');
}

/** A part without a dot is a word, even if it is a top-level domain. */
function parsePart(part: string): CellResult {
  if (isBlank(part)) return rejectAs('blank');
  return /[.。:]/.test(part) ? parseAddress(part) : rejectAs('not_a_domain');
}

function outcomeOf(result: CellResult) {
  return isReject(result) ? result.reject : result.value;
}

/** Browsers read `1.5` and `12345` as IP addresses, but outside a URL they are numbers. */
function looksLikeIp({ isUrl, host }: Address) {
  return isUrl || !shortNumber.test(host);
}

function isTrivial(host: string, domain: string) {
  return trivialSubdomain.test(host.slice(0, -domain.length - 1));
}

function withoutWww(host: string) {
  return host.startsWith('www.') ? host.slice(4) : host;
}

function websiteOf(host: string) {
  return `https://${host}/`;
}

/** Only for e-mail addresses: as a website, gmail.com is a company. */
function isFreeMail(host: string, domain: string) {
  if (companies.has(domain) || publicInstitution.test(domain)) return false;
  const name = domain.slice(0, domain.indexOf('.'));
  return webmailNames.has(name) || mailProviders.has(domain) || mailProviders.has(host);
}

/** `'acme.com bolt.com', 'crane.com' →` a set of three. */
function listed(...lines: readonly string[]) {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Webmail under any ending: yahoo.com.au, hotmail.fr, gmail.co. */
const webmailNames = listed(
  'gmail googlemail yahoo ymail rocketmail hotmail icloud protonmail yahoomail tutanota',
  'rediffmail fastmail',
);

const mailProviders = new Set([
  ...providers,
  ...listed(
    'tuta.io tuta.com tutamail.com duck.com zohomail.com posteo.de zohomail.com.au riseup.net',
    'passmail.net aapt.net.au adam.com.au tpgi.com.au people.net.au aanet.com.au spin.net.au',
    'chariot.net.au bordernet.com.au slingshot.co.nz orcon.net.nz clear.net.nz paradise.net.nz',
    'ihug.co.nz inspire.net.nz actrix.co.nz vodafone.co.nz pacific.net.sg starhub.net.sg',
    'streamyx.com tm.net.my netvigator.com nifty.com biglobe.ne.jp ocn.ne.jp so-net.ne.jp',
    'plala.or.jp kakao.com',
  ),
]);

/** `email-providers` lists these domains, but staff of these companies use them too. */
const companies = listed(
  'telstra.com tpg.com.au singpost.com saudia.com alibaba.com facebook.com ancestry.com',
  'discovery.com medscape.com globo.com sky.com bt.com law.com rogers.com frontier.com oath.com',
  'parrot.com aver.com name.com space.com easypost.com dnsmadeeasy.com looksmart.com',
  'looksmart.com.au techspot.com geek.com swissinfo.org theglobe.com poste.it virgin.net',
  'virginmedia.com',
  // Users try Dossier with these; a rejection as free mail would confuse them.
  'example.com test.com yourdomain.com mydomain.com',
);

const publicInstitution = /\.(?:edu|gov)(?:\.[a-z]{2})?$|\.ac\.[a-z]{2}$/;

/** A path on these sites is a user's page; the bare domain is a company. */
const platforms = listed(
  'linkedin.com linkedin.cn facebook.com fb.com fb.me m.me instagram.com twitter.com x.com',
  'threads.net threads.com tiktok.com youtube.com youtu.be vimeo.com pin.it snapchat.com',
  'reddit.com tumblr.com flickr.com medium.com weibo.com vk.com xing.com wa.me whatsapp.com',
  't.me telegram.me line.me lin.ee discord.gg discord.com wechat.com bsky.app soundcloud.com',
  'spotify.com meetup.com patreon.com behance.net lnkd.in bit.ly bitly.com tinyurl.com t.co',
  'ow.ly buff.ly goo.gl g.page g.co forms.gle is.gd cutt.ly rb.gy t.ly tiny.cc rebrand.ly',
  'shorturl.at amzn.to linktr.ee about.me bio.link beacons.ai calendly.com lnk.bio campsite.bio',
  'yelp.com yelp.com.au tripadvisor.com tripadvisor.com.au yellowpages.com.au yellow.co.nz',
  'truelocal.com.au localsearch.com.au hotfrog.com.au oneflare.com.au whitepages.com.au',
  'crunchbase.com trustpilot.com productreview.com.au g2.com glassdoor.com glassdoor.com.au',
  'indeed.com seek.com.au seek.co.nz zoominfo.com ebay.com ebay.com.au etsy.com gumtree.com.au',
  'amazon.com amazon.com.au airbnb.com airbnb.com.au booking.com ubereats.com doordash.com',
  'menulog.com.au eventbrite.com eventbrite.com.au alibaba.com shopee.sg lazada.sg carousell.sg',
  'grab.com gofundme.com ko-fi.com hipages.com.au github.com gitlab.com bitbucket.org',
  'wikipedia.org dropbox.com notion.so docs.com canva.com issuu.com slideshare.net scribd.com',
  'archive.org',
);

const platformInEachCountry = /^(?:google|pinterest)\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

/** These hosts belong to no single company, so they are rejected even without a path. */
const pageHosts = listed(
  'sites.google.com docs.google.com drive.google.com maps.google.com business.google.com',
  'plus.google.com play.google.com apps.apple.com itunes.apple.com maps.apple.com',
  'maps.app.goo.gl blog.naver.com l.facebook.com',
);

/** Each customer has a subdomain of these domains, but the Public Suffix List lacks them. */
const hostingDomains = listed(
  'wordpress.com weebly.com wix.com squarespace.com tumblr.com substack.com medium.com',
  'business.site godaddysites.com jimdosite.com jimdofree.com webnode.com mystrikingly.com',
  'bigcartel.com bandcamp.com typepad.com livejournal.com ueniweb.com site123.me zohosites.com',
  'etsy.com gumroad.com teachable.com thinkific.com mykajabi.com podbean.com zendesk.com',
  'freshdesk.com atlassian.net slack.com sharepoint.com onmicrosoft.com force.com typeform.com',
  'setmore.com simplybook.me canva.site bsky.social',
);

/** The Public Suffix List has blogspot.com, but not blogspot.com.au. */
const blogspot = /^blogspot\.[a-z]{2,3}(?:\.[a-z]{2})?$/;

const ownHosts = listed(
  'www blog help support about status developers developer docs api app careers jobs community',
  'investors news press learn login en',
);

function isPlatformPage(host: string, domain: string, hasPath: boolean) {
  if (pageHosts.has(host)) return true;
  if (!hasPath) return false;
  if (hostsCustomers(host, domain)) return false;
  return platforms.has(domain) || platformInEachCountry.test(domain);
}

function hostsCustomers(host: string, domain: string) {
  const isHosting = hostingDomains.has(domain) || blogspot.test(domain);
  if (host === domain || !isHosting) return false;
  const subdomain = host.slice(0, -domain.length - 1);
  return !ownHosts.has(subdomain);
}
