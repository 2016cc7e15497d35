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
  /** Number of attempts, not counting throttled ones. */
  readonly attempts: number;
  /** Duration of the request, without the wait for its permit. */
  readonly durationMs: number;
  /** Set only if the answer does not come directly from the service. */
  readonly fetchedAt?: number;
  readonly isReused?: true;
}

/** Outcome of one call. Failures that end the whole run are thrown instead. */
export type CallOutcome =
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
      /** The body is stored, because a 200 without an id may have been charged. */
      readonly body: Buffer;
    })
  | (CallFacts & { readonly kind: 'invalid'; readonly status: number; readonly message: string })
  /** A paid answer above the size limit. */
  | (CallFacts & { readonly kind: 'oversized'; readonly reason: string })
  | (CallFacts & {
      readonly kind: 'failed';
      readonly reason: string;
      /** The outcome to use instead if the service later proves that it works. */
      readonly missIfProven?: Extract<CallOutcome, { readonly kind: 'miss' }>;
    });

/** `company?country=AU&fqdn=acme.com.au` */
export function canonicalCall(call: CallRequest): string {
  if (call.operation === 'company') return writeLookup(call);
  const parameters = { selectedCountry: defaultCountry, ...call.body };
  // Does not use locale order, because it differs between machines.
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return `people?${new URLSearchParams(sorted)}`;
}

export function parseCall(request: string): CallRequest {
  const lookup = lookupText.exec(request);
  if (lookup) return readLookup(lookup);
  const query = request.slice(request.indexOf('?') + 1);
  return { operation: 'people', body: Object.fromEntries(new URLSearchParams(query)) };
}

function writeLookup({ identifier: { kind, value }, country }: CompanyCall): string {
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

/** Values that need no encoding. They skip URLSearchParams, which takes ten times as long. */
const plainValue = /^[\w.*-]+$/;

function encodeValue(value: string): string {
  return plainValue.test(value) ? value : new URLSearchParams({ v: value }).toString().slice(2);
}

function decodeValue(text: string): string {
  return plainValue.test(text) ? text : (new URLSearchParams(`v=${text}`).get('v') ?? '');
}
