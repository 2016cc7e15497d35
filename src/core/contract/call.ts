import type { CompanyIdentifiers } from './company-identifiers.ts';
import { type Country, defaultCountry } from './countries.ts';
import type { IdentifierKind } from './identifier-kinds.ts';

export interface CompanyCall {
  readonly operation: 'company';
  readonly identifier: { readonly kind: IdentifierKind; readonly value: string };
  readonly country: Country;
}

/** Each page of a people search is one call. */
export type CallRequest =
  | CompanyCall
  | {
      readonly operation: 'people';
      readonly body: Readonly<Record<string, string>>;
    };

interface CallFacts {
  /** Without throttled attempts. */
  readonly attempts: number;
  /** Without the wait for a permit. */
  readonly durationMs: number;
  /** Absent for an answer that has just arrived. */
  readonly fetchedAt?: number;
  /** Another run fetched and paid for it; see `Client.send`. */
  readonly isFetchedElsewhere?: true;
}

/** Failures that end the whole run are thrown instead. */
export type CallResult =
  | (CallFacts & {
      readonly kind: 'hit';
      readonly status: number;
      readonly body: Buffer;
      readonly companyId?: string;
      readonly identifiers?: CompanyIdentifiers;
    })
  | (CallFacts & {
      readonly kind: 'miss';
      readonly status: number;
      /** Stored, because a 200 without an id may have been charged. */
      readonly body: Buffer;
    })
  | (CallFacts & { readonly kind: 'invalid'; readonly status: number; readonly message: string })
  | (CallFacts & { readonly kind: 'oversized'; readonly reason: string })
  | (CallFacts & {
      readonly kind: 'failed';
      readonly reason: string;
      /** Replaces this failure once another call proves that the service works. */
      readonly missIfProven?: Extract<CallResult, { readonly kind: 'miss' }>;
    });

/** `company?country=AU&fqdn=acme.com.au` */
export function canonicalCall(call: CallRequest): string {
  if (call.operation === 'company') return writeLookup(call);
  const parameters = { selectedCountry: defaultCountry, ...call.body };
  // Not sorted by locale, because that order differs between machines.
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return `people?${new URLSearchParams(sorted)}`;
}

export function parseCall(request: string): CallRequest {
  const lookup = lookupText.exec(request);
  if (lookup) return readLookup(lookup);
  const query = request.slice(request.indexOf('?') + 1);
  return { operation: 'people', body: Object.fromEntries(new URLSearchParams(query)) };
}

function writeLookup({ identifier: { kind, value }, country }: CompanyCall) {
  const identifier = `${kind}=${encodeValue(value)}`;
  return kind < 'country'
    ? `company?${identifier}&country=${country}`
    : `company?country=${country}&${identifier}`;
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

/** Such values need no URLSearchParams, which takes ten times as long. */
const plainValue = /^[\w.*-]+$/;

function encodeValue(value: string) {
  return plainValue.test(value) ? value : new URLSearchParams({ v: value }).toString().slice(2);
}

function decodeValue(text: string) {
  return plainValue.test(text) ? text : (new URLSearchParams(`v=${text}`).get('v') ?? '');
}
