import type { CompanyCall } from '../contract/call.ts';
import type { CompanyNames } from '../contract/company-names.ts';
import type { Country } from '../contract/countries.ts';
import { isReject } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';

/** The identifiers that a company carries, clean; null where the answer does not say. */
export interface CompanyIdentity {
  readonly id: string;
  readonly abn: string | null;
  /** The ABN that belongs to its company number. */
  readonly abnOfAcn: string | null;
  readonly domain: Domain | null;
  readonly website: Domain | null;
  readonly slug: string | null;
  readonly socialSlug: string | null;
}

/** `shop.acme.com.au` has the host as it is and the domain `acme.com.au`. */
interface Domain {
  readonly host: string;
  readonly domain: string;
}

/** Cleans the identifiers of a company. Those that rarely decide are cleaned on demand. */
export function readIdentity(companyId: string, names: CompanyNames): CompanyIdentity {
  return {
    id: companyId,
    abn: readAbn(names.abn),
    domain: readDomain(names.fqdn),
    slug: readSlug(names.network),
    get abnOfAcn() {
      return readAbn(names.acn);
    },
    get website() {
      return readDomain(names.website);
    },
    get socialSlug() {
      return readSlug(names.socialNetwork);
    },
  };
}

/** The calls for the company's own identifiers: an answer to one of them serves all. */
export function aliasCalls(identity: CompanyIdentity, country: Country): CompanyCall[] {
  const { id, abn, domain, slug } = identity;
  const known = [
    { kind: 'id', value: id },
    { kind: 'abn', value: abn },
    // The host as it is: a shop's answer must not stand for the domain that it is part of.
    { kind: 'fqdn', value: domain?.host ?? null },
    { kind: 'ln_slug', value: slug },
  ] as const;
  return known.flatMap(({ kind, value }) =>
    value === null ? [] : [{ operation: 'company', identifier: { kind, value }, country } as const],
  );
}

function readAbn(value: string): string | null {
  const result = identifyCell(value, 'abn');
  return isReject(result) ? null : result.value;
}

function readDomain(value: string): Domain | null {
  const result = identifyCell(value, 'fqdn');
  if (isReject(result)) return null;
  return { host: result.alternates?.[0]?.value ?? result.value, domain: result.value };
}

function readSlug(value: string): string | null {
  const result = identifyCell(value, 'ln_slug');
  return isReject(result) ? null : lastSegment(result.value);
}

/** `https://www.linkedin.com/company/1035 → 1035`; a slug has one segment only. */
export function lastSegment(address: string): string {
  return address.slice(address.lastIndexOf('/') + 1);
}
