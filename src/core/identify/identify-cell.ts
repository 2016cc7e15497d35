import { cleanCell, cleanIdentifier, isBlank, maxCellLength } from './clean-cell.ts';
import {
  type CellResult,
  isReject,
  type Reading,
  type RejectCode,
  rejectAs,
} from './identifier.ts';
import { isForeignRegisterNumber, parseAbn } from './parse-abn.ts';
import { parseDomain, parsePlainDomain, parseWebsite } from './parse-domain.ts';
import { parseNetworkSlug, parseNetworkUrl } from './parse-network-url.ts';

/** Never throws. */
export function identifyCell(text: string, as: Reading): CellResult {
  const cell = cleanIdentifier(text);
  if (isBlank(cell)) return rejectAs('blank');
  if (cell.length > maxCellLength) return rejectAs(tooLong[as]);
  return parsers[as](cell);
}

const parsers: Record<Reading, (cell: string) => CellResult> = {
  id: parseId,
  abn: parseAbn,
  fqdn: parseDomain,
  website: parseWebsite,
  ln_slug: parseNetworkSlug,
  ln_url: parseNetworkUrl,
  auto: parseAny,
};

const tooLong: Record<Reading, RejectCode> = {
  id: 'multiple_values',
  abn: 'abn_length',
  fqdn: 'not_a_domain',
  website: 'not_a_domain',
  ln_slug: 'not_a_network_url',
  ln_url: 'not_a_network_url',
  auto: 'not_a_domain',
};

function parseId(cell: string): CellResult {
  return /[\n\r\t]/.test(cell) ? rejectAs('multiple_values') : { kind: 'id', value: cell };
}

const onNetwork = /linkedin\.(?:com|cn)|lnkd\.in|urn(?::|%3a)li|^\/?(?:company|school|showcase)\//i;
const registerLabel = /(?<![a-z])(?:a\.?b\.?n|a\.?c\.?n|arbn|nzbn|uen)(?![a-z])(?:\D*\d){7}/i;
const hasManyDigits = /(?:\d\D*){6}/;
const endsLikeDomain = /\.[a-z]{2,}(?:[/?#:]|$)/i;
/** Each number is at most 255: `51.824.753.556` is an ABN, not an IP address. */
const dottedQuad = /^(?:(?:25[0-5]|2[0-4]\d|1?\d{1,2})(?:\.(?!$)|$)){4}$/;
const numberAlone = /^[\d\s.,;:/|()'\p{Pd}−]+$/u;
const scientific = /^\d(?:[.,]\d{1,20})?e\+?\d{1,2}$/i;

function parseAny(cell: string): CellResult {
  return holdsSeveral(cell) ? rejectAs('multiple_values') : parseAnyOne(cell);
}

/** A comma without a space separates nothing: it may be part of a number or path. */
const separators = /[;|\n]|,\s/;

function holdsSeveral(cell: string) {
  if (!separators.test(cell)) return false;
  const results = cell.split(separators).map((part) => parseAnyOne(cleanCell(part)));
  const values = results.flatMap((result) => (isReject(result) ? [] : [result.value]));
  return new Set(values).size > 1;
}

const serviceId = /^c_[a-z0-9]{4,}$/;

/** Rejects a bare word, because it could be a slug or an id. */
function parseAnyOne(cell: string): CellResult {
  if (serviceId.test(cell)) return parseId(cell);
  const domain = parsePlainDomain(cell);
  const mayBePage = !domain || (isReject(domain) && domain.reject === 'platform_page');
  if (mayBePage && onNetwork.test(cell)) return parsePageOrDomain(cell);
  if (domain !== undefined) return domain;
  return isRegisterNumber(cell) ? parseAbn(cell) : parseDomain(cell);
}

function parsePageOrDomain(cell: string): CellResult {
  const page = parseNetworkUrl(cell);
  const isPage = !isReject(page) || !notPages.has(page.reject);
  if (isPage) return page;
  const domain = parseDomain(cell);
  const isOnNetwork = page.reject === 'network_no_company';
  return isOnNetwork && isReject(domain) ? page : domain;
}

const notPages = new Set<RejectCode>(['not_a_network_url', 'network_no_company']);

function isRegisterNumber(cell: string) {
  if (!/\d/.test(cell) || dottedQuad.test(cell)) return false;
  if (numberAlone.test(cell) || scientific.test(cell)) return true;
  if (!hasManyDigits.test(cell) || cell.includes('@') || endsLikeDomain.test(cell)) return false;
  return registerLabel.test(cell) || isForeignRegisterNumber(cell);
}
