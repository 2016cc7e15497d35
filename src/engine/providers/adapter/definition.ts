import type { IdentifierKind } from '../../../core/contract/identifier-kinds.ts';

/**
 * How a service of any kind is asked, and where the fields are in its answers. Plain data: it goes
 * to another thread, and the ledger keeps it, so answers can be read without the file it came from.
 */
export interface AdapterDefinition {
  readonly name: string;
  readonly url: string;
  readonly auth: Auth;
  /** Headers that the service demands besides the key, such as a version. */
  readonly headers: Readonly<Record<string, string>>;
  readonly company: Readonly<Partial<Record<IdentifierKind, Ask>>>;
  readonly answers: Readonly<Partial<Record<NamedVerdict, readonly AnswerRule[]>>>;
  readonly charged: 'hits' | 'answers';
  /** Path of the company in the answer; empty if the answer is the company. */
  readonly record: string;
  /** The path of each field in the answer, by its path in our record. */
  readonly fields: Readonly<Record<string, FieldRule>>;
}

export type Auth =
  | 'bearer'
  | 'basic'
  | { readonly header: string }
  /** The key is part of the address. */
  | { readonly query: string };

export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** In the order in which they are tried. */
export const namedVerdicts = ['quota', 'refused', 'throttled', 'miss'] as const;
export type NamedVerdict = (typeof namedVerdicts)[number];

export interface AnswerRule {
  readonly status: number;
  readonly where?: string | undefined;
  /** `empty`: there, but without a value. `missing`: not there. */
  readonly is?: string | number | boolean | undefined;
}

export interface FieldRule {
  readonly paths: readonly string[];
  /** Set: the values of all paths as one text. Absent: the first path that has a value. */
  readonly joinedBy?: string | undefined;
}
