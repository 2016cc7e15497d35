import type { CompanyNames } from './company-names.ts';
import { type Country, defaultCountry } from './countries.ts';
import type { IdentifierKind } from './identifier-kinds.ts';

export interface CompanyCall {
  readonly operation: 'company';
  readonly identifier: { readonly kind: IdentifierKind; readonly value: string };
  readonly country: Country;
}

export interface PeopleCall {
  readonly operation: 'people';
  readonly body: Readonly<Record<string, string>>;
}

/** One question to the service. A page of people is one question. */
export type CallRequest = CompanyCall | PeopleCall;

interface SettledFacts {
  /** Attempts that the service could have answered; throttled ones are not among them. */
  readonly attempts: number;
  /** Time on the wire of the last attempt, without any wait for its turn. */
  readonly durationMs: number;
}

/** How a call ended, for a row or a page. What ends the whole run is thrown instead. */
export type CallOutcome =
  | (SettledFacts & {
      readonly kind: 'hit';
      readonly status: number;
      /** The answer as it came, decompressed. */
      readonly body: Buffer;
      /** The company's id, always there after a company lookup and never after a people search. */
      readonly companyId?: string;
      /** The names of that company, where the client has read them. */
      readonly names?: CompanyNames;
    })
  | (SettledFacts & {
      readonly kind: 'miss';
      readonly status: number;
      /** Kept as well: a 200 that holds no id may have been paid for. */
      readonly body: Buffer;
    })
  | (SettledFacts & { readonly kind: 'invalid'; readonly status: number; readonly message: string })
  | (SettledFacts & { readonly kind: 'failed'; readonly reason: string });

/**
 * The one way to write a call, so that two rows that ask the same thing share it:
 * `company?country=AU&fqdn=acme.com.au`.
 */
export function canonicalCall(call: CallRequest): string {
  const parameters =
    call.operation === 'company'
      ? { country: call.country, [call.identifier.kind]: call.identifier.value }
      : { selectedCountry: defaultCountry, ...call.body };
  // By code unit: the order must not depend on the locale of the machine.
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${call.operation}?${new URLSearchParams(sorted)}`;
}

/** Reads what `canonicalCall` has written. */
export function parseCall(request: string): CallRequest {
  const [operation, query] = request.split(/\?(.*)/s);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  if (operation === 'people') return { operation, body: parameters };
  const { country, ...identifier } = parameters;
  const [[kind, value] = []] = Object.entries(identifier);
  return {
    operation: 'company',
    identifier: { kind: kind as IdentifierKind, value: value ?? '' },
    country: country as Country,
  };
}
