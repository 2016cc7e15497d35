import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import { assertNever } from '../runtime/assert-never.ts';
import { type CompanyIdentity, lastSegment } from './company-identity.ts';
import type { Match } from './outcomes.ts';

/**
 * Compares what was asked with what came back: the company may have been bought, renamed or mixed
 * up by the service, and the row should say so.
 */
export function matchCompany(
  asked: { kind: IdentifierKind; value: string },
  company: CompanyIdentity,
): Match {
  // Nearly every answer: the company's other identifiers need not be cleaned.
  if (isOwnName(asked, company)) return 'exact';
  switch (asked.kind) {
    case 'id':
      return asked.value === company.id ? 'exact' : 'mismatch';
    case 'abn':
      return compare(asked.value, [company.abn], [company.abnOfAcn]);
    case 'fqdn':
      return compareHost(asked.value, company.domain, company.website);
    case 'website':
      return compareHost(new URL(asked.value).hostname, company.website, company.domain);
    case 'ln_slug':
      return compare(asked.value, [company.slug], [company.socialSlug]);
    case 'ln_url':
      return comparePage(asked.value, company);
    default:
      return assertNever(asked.kind);
  }
}

function isOwnName(
  { kind, value }: { kind: IdentifierKind; value: string },
  { abn, domain, slug }: CompanyIdentity,
): boolean {
  const own = { abn, fqdn: domain?.host, ln_slug: slug };
  return kind in own && own[kind as keyof typeof own] === value;
}

type Known = readonly (string | null | undefined)[];

/** The company's own identifier is exact; another one that it carries is an alias. */
function compare(asked: string, own: Known, others: Known): Match {
  if (own.includes(asked)) return 'exact';
  if (others.includes(asked)) return 'alias';
  return [...own, ...others].some((value) => value != null) ? 'mismatch' : 'unverified';
}

function compareHost(
  asked: string,
  own: CompanyIdentity['domain'],
  other: CompanyIdentity['domain'],
): Match {
  return compare(asked, [own?.host], [own?.domain, other?.host, other?.domain]);
}

/** A page with a number cannot be compared with a slug: both may be of one company. */
function comparePage(url: string, company: CompanyIdentity): Match {
  const page = lastSegment(url);
  if (page === company.slug) return 'exact';
  return page === company.socialSlug ? 'alias' : 'unverified';
}
