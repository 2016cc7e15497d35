import { type Country, defaultCountry } from './countries.ts';
import type { IdentifierKind } from './identifier-kinds.ts';

export interface CompanyCall {
  readonly operation: 'company';
  readonly identifier: { readonly kind: IdentifierKind; readonly value: string };
  readonly country: Country;
}

/** One page of a people search. */
export interface PeopleCall {
  readonly operation: 'people';
  readonly companyId: string;
  readonly country: Country;
  /** Number of people to skip. */
  readonly from: number;
  readonly size: number;
  readonly seniority?: string;
  readonly department?: string;
  readonly position?: string;
}

export type Call = CompanyCall | PeopleCall;

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
      /** Read from the first bytes of the body. The queue, which parses it, may disagree. */
      readonly isPresumed?: true;
      /** A page without people. */
      readonly isEmpty?: boolean;
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
      readonly kind: 'unreadable';
      readonly status: number;
      readonly reason: string;
      /** Judged again, free of charge, when the rules of the adapter change. */
      readonly body: Buffer;
    })
  | (CallFacts & {
      readonly kind: 'failed';
      readonly reason: string;
      /** Replaces this failure once another call proves that the service works. */
      readonly missIfProven?: Extract<CallResult, { readonly kind: 'miss' }>;
    });

export type Hit = Extract<CallResult, { readonly kind: 'hit' }>;

/** `company?country=AU&fqdn=acme.com.au` */
export function callText(call: Call): string {
  return call.operation === 'company' ? writeLookup(call) : writeSearch(call);
}

export function parseCall(text: string): Call {
  const lookup = lookupText.exec(text);
  if (lookup) return readLookup(lookup);
  return readSearch(new URLSearchParams(text.slice(text.indexOf('?') + 1)));
}

/** Reads the operation from the text of a call, without parsing it. */
export function operationOf(text: string): Call['operation'] {
  return text.startsWith('people?') ? 'people' : 'company';
}

/** The names and their order are part of every call key, so they never change. */
function writeSearch({ companyId, country, from, size, ...filters }: PeopleCall) {
  const { department, position, seniority } = filters;
  const parameters = new URLSearchParams({ companyId });
  if (department) parameters.set('department', department);
  parameters.set('from', String(from));
  if (position) parameters.set('position', position);
  parameters.set('selectedCountry', country);
  if (seniority) parameters.set('seniority', seniority);
  parameters.set('size', String(size));
  return `people?${parameters}`;
}

function readSearch(parameters: URLSearchParams): PeopleCall {
  const {
    companyId = '',
    selectedCountry,
    from,
    size,
    ...filters
  } = Object.fromEntries(parameters);
  const country = (selectedCountry ?? defaultCountry) as Country;
  return {
    operation: 'people',
    companyId,
    country,
    from: Number(from),
    size: Number(size),
    ...filters,
  };
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
