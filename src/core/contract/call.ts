import type { CompanyNames } from './company-names.ts';
import { type Country, defaultCountry } from './countries.ts';
import type { IdentifierKind } from './identifier-kinds.ts';

export interface CompanyCall {
  readonly operation: 'company';
  readonly identifier: { readonly kind: IdentifierKind; readonly value: string };
  readonly country: Country;
}

/** One question to the service. Each page of a people search is a call. */
export type CallRequest =
  | CompanyCall
  | {
      readonly operation: 'people';
      readonly body: Readonly<Record<string, string>>;
    };

interface CallFacts {
  /** Number of attempts, without those that were throttled. */
  readonly attempts: number;
  /** Duration of the last attempt, without the wait for its permit. */
  readonly durationMs: number;
  /** When the service gave the answer; absent where it comes straight from there. */
  readonly fetchedAt?: number;
  /** Another run has asked for it: no request of this run did. */
  readonly isReused?: true;
}

/** The answer of a call. A failure that ends the whole run is thrown instead. */
export type CallOutcome =
  | (CallFacts & {
      readonly kind: 'hit';
      readonly status: number;
      /** The body as received, decompressed. */
      readonly body: Buffer;
      /** Present for a company lookup, absent for a people search. */
      readonly companyId?: string;
      /** The identifiers of the company, when the client has read them from the body already. */
      readonly names?: CompanyNames;
    })
  | (CallFacts & {
      readonly kind: 'miss';
      readonly status: number;
      /** Stored too, because a 200 without an id may have been charged. */
      readonly body: Buffer;
    })
  | (CallFacts & { readonly kind: 'invalid'; readonly status: number; readonly message: string })
  /** An answer that was paid for and is larger than allowed. */
  | (CallFacts & { readonly kind: 'oversized'; readonly reason: string })
  | (CallFacts & {
      readonly kind: 'failed';
      readonly reason: string;
      /** The outcome of the call if the service turns out to be proven. */
      readonly missIfProven?: Extract<CallOutcome, { readonly kind: 'miss' }>;
    });

/**
 * The canonical text of a call, equal for two rows that ask the same:
 * `company?country=AU&fqdn=acme.com.au`.
 */
export function canonicalCall(call: CallRequest): string {
  if (call.operation === 'company') return writeLookup(call);
  const parameters = { selectedCountry: defaultCountry, ...call.body };
  // Sorted by code unit, so that the order does not depend on the locale of the machine.
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return `people?${new URLSearchParams(sorted)}`;
}

/** The inverse of `canonicalCall`. */
export function parseCall(request: string): CallRequest {
  const lookup = lookupText.exec(request);
  if (lookup) return readLookup(lookup);
  const query = request.slice(request.indexOf('?') + 1);
  return { operation: 'people', body: Object.fromEntries(new URLSearchParams(query)) };
}

function writeLookup({ identifier: { kind, value }, country }: CompanyCall): string {
  const asked = `${kind}=${encodeValue(value)}`;
  return kind < 'country'
    ? `company?${asked}&country=${country}`
    : `company?country=${country}&${asked}`;
}

const lookupText = /^company\?(\w+)=([^&]*)&(\w+)=([^&]*)$/;

function readLookup([, first, one = '', second, other = '']: RegExpExecArray): CompanyCall {
  const [kind, value, country] = first === 'country' ? [second, other, one] : [first, one, other];
  return {
    operation: 'company',
    identifier: { kind: kind as IdentifierKind, value: decodeValue(value) },
    country: country as Country,
  };
}

/*
 * Nearly every value stands in a query as it is. URLSearchParams takes ten times as long to find that
 * out, and a call is written and read several times for each row.
 */
const plainValue = /^[\w.*-]+$/;

function encodeValue(value: string): string {
  return plainValue.test(value) ? value : new URLSearchParams({ v: value }).toString().slice(2);
}

function decodeValue(text: string): string {
  return plainValue.test(text) ? text : (new URLSearchParams(`v=${text}`).get('v') ?? '');
}
