import type { Call } from '../../core/contract/call.ts';
import type { CompanyIdentifiers } from '../../core/contract/company-identifiers.ts';
import type { IdentifierKind } from '../../core/contract/identifier-kinds.ts';

/**
 * How a kind of service is asked, and what its answers mean. A new provider is an adapter, or a
 * folder beside `company-data` and a line in `providers.ts`. Nothing else knows its JSON.
 */
export interface Provider {
  /** Other identifiers are never sent to its services. */
  takes(kind: IdentifierKind): boolean;
  requests(service: ServiceAccess): ProviderRequests;
  /** `hasEverFound`: the service has found a company before, so its address is right. */
  judge(call: Call, response: HttpResponse, hasEverFound: boolean): Verdict;
  /** A faster way to judge what seems to be a company. Absent: only `judge` can tell. */
  readonly presumed?: PresumedCompany;
  /** Identifiers of the company in a parsed body. */
  identifiers(body: unknown): CompanyIdentifiers;
  /** Null if the parsed body is not a page of people. Absent if it cannot search people. */
  people?(body: unknown): PeoplePage | null;
  /** A company of a parsed body, or a person of a page, in the fields of `Company` and `Person`. */
  record(body: unknown): unknown;
  /**
   * Hashes of the rules for `judge`, and of those for `record`. Kept answers are read again if they
   * change. Empty if only a release changes them.
   */
  readonly version: { readonly judging: string; readonly record: string };
}

/**
 * The client parses no body whose first bytes show a company. The queue parses each body anyway, and
 * tells the client if it was wrong.
 */
export interface PresumedCompany {
  companyId(body: Buffer): string | undefined;
  /** If not, `judge` decides. */
  isRight(body: unknown, companyId: string): boolean;
}

export interface ServiceAccess {
  readonly baseUrl: URL;
  readonly key: string;
  /** Headers that every request has. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ProviderRequests {
  requestFor(call: Call): HttpRequest;
  probe(): Probe;
}

/** A request that shows whether address and key of a service are right. */
export interface Probe {
  readonly request: HttpRequest;
  /** `judge` takes the answer for one to this call. */
  readonly call: Call;
  /** No free request shows whether the key is right. */
  readonly mayBeCharged: boolean;
  /**
   * Reads an answer that `judge` takes for a hit, a miss or an invalid call. `unsure`: perhaps
   * another path would be right. `foreign`: another program answers.
   */
  findingOf(response: HttpResponse, kind: 'hit' | 'miss' | 'invalid'): ProbeFinding;
}

export type ProbeFinding = 'accepted' | 'unsure' | 'foreign';

export interface PeoplePage {
  /** The list in the body itself, so changing it changes the body. */
  readonly people: unknown[];
  readonly total?: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

export type Verdict =
  /** `isEmpty`: a page without people. */
  | {
      readonly kind: 'hit';
      readonly companyId?: string;
      readonly isPresumed?: true;
      readonly isEmpty?: boolean;
    }
  | { readonly kind: 'miss' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'throttled' }
  /** The service rejects the key, so every other call would fail too. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The key is wrong or lacks a permission, or a firewall refused this call. */
  | { readonly kind: 'forbidden'; readonly message: string }
  | { readonly kind: 'quota'; readonly message: string }
  | {
      readonly kind: 'transient';
      readonly reason: string;
      readonly isUnreached?: boolean;
    }
  /** An empty 404 before the first hit: either the company is unknown or the URL is wrong. */
  | { readonly kind: 'unproven'; readonly reason: string }
  | { readonly kind: 'unusable'; readonly reason: string }
  /** A complete answer in which an adapter finds no company. Kept, because it may be charged. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'oversized'; readonly reason: string };
