import type { IdentifierField } from '../contract/company-identifiers.ts';
import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import { cleanCell, cleanIdentifier, isBlank, maxCellLength } from './clean-cell.ts';
import {
  type CellResult,
  isReject,
  type Reading,
  type RejectCode,
  rejectAs,
  rejectedName,
} from './identifier.ts';
import { isForeignRegisterNumber, parseAbn } from './parse-abn.ts';
import { parseDomain, parsePlainDomain, parseWebsite } from './parse-domain.ts';
import { parseNetworkSlug, parseNetworkUrl } from './parse-network-url.ts';
import { looksLikeName } from './suggest-value.ts';

/** Never throws. */
export function identifyCell(text: string, as: Reading): CellResult {
  const cell = cleanIdentifier(text);
  if (isBlank(cell)) return rejectAs('blank');
  const isTooLong = cell.length > maxCellLength;
  const { tooLong, parse } = as === 'auto' ? anyKind : kindRules[as];
  const result = isTooLong ? rejectAs(tooLong) : parse(cell);
  const isName = isReject(result) && result.reject === 'not_a_domain' && looksLikeName(cell);
  return isName ? rejectedName : result;
}

interface KindRules {
  readonly parse: (cell: string) => CellResult;
  /** Why a very long cell is rejected. */
  readonly tooLong: RejectCode;
  /** Whether a cell of unknown kind is such a number; null if it is not a register number. */
  readonly recognises: ((cell: string) => boolean) | null;
  /** Its first value is an exact match. */
  readonly field: IdentifierField;
  /** Its values, and further ones of `field`, match as aliases. */
  readonly aliasField?: IdentifierField;
  /** An answer is also reused for lookups by the first value of `field`. */
  readonly isReused?: true;
  /** First word of the suppression key. Kinds that share it read the same fields. */
  readonly keyedAs: string;
  /** Keeps the part of a value that is compared. */
  readonly bare?: (value: string) => string;
  /** Default: `mismatch`. */
  readonly ifDifferent?: 'unverified';
}

/** How each kind is read, compared with an answer, reused and suppressed. */
export const kindRules: Readonly<Record<IdentifierKind, KindRules>> = {
  id: {
    parse: parseId,
    tooLong: 'multiple_values',
    recognises: null,
    field: 'id',
    isReused: true,
    keyedAs: 'id',
  },
  // After all other register numbers, because it recognises any number.
  abn: {
    parse: parseAbn,
    tooLong: 'abn_length',
    recognises: isRegisterNumber,
    field: 'abn',
    aliasField: 'acn',
    isReused: true,
    keyedAs: 'abn',
  },
  fqdn: {
    parse: parseDomain,
    tooLong: 'not_a_domain',
    recognises: null,
    field: 'fqdn',
    aliasField: 'website',
    isReused: true,
    keyedAs: 'domain',
  },
  website: {
    parse: parseWebsite,
    tooLong: 'not_a_domain',
    recognises: null,
    field: 'website',
    aliasField: 'fqdn',
    keyedAs: 'domain',
    bare: (url) => new URL(url).hostname,
  },
  ln_slug: {
    parse: parseNetworkSlug,
    tooLong: 'not_a_network_url',
    recognises: null,
    field: 'network',
    aliasField: 'socialNetwork',
    isReused: true,
    keyedAs: 'page',
  },
  ln_url: {
    parse: parseNetworkUrl,
    tooLong: 'not_a_network_url',
    recognises: null,
    field: 'network',
    aliasField: 'socialNetwork',
    keyedAs: 'page',
    bare: (url) => url.slice(url.lastIndexOf('/') + 1),
    // A page has a number and a slug, so different names may mean the same page.
    ifDifferent: 'unverified',
  },
};

const anyKind = { parse: parseAny, tooLong: 'not_a_domain' } as const;

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
  const number = numberRules.find(({ recognises }) => recognises?.(cell));
  return (number ?? kindRules.fqdn).parse(cell);
}

const numberRules = Object.values(kindRules).filter(({ recognises }) => recognises);

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
