import type { CallOutcome, CallRequest, StoredBody } from '../contract/call.ts';
import type { ThreadError } from '../runtime/thread-error.ts';
import type { ClientEvent } from './client-event.ts';
import type { ClientOptions } from './open-client.ts';

/** What a client in a thread is opened with: nothing but data. */
export type ThreadOptions = Omit<ClientOptions, 'clock' | 'onEvent'>;

export type ToThread =
  | { readonly kind: 'send'; readonly calls: readonly SentCall[] }
  /** The signal of some calls has aborted. */
  | { readonly kind: 'abort'; readonly signal: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'close' };

export interface SentCall {
  readonly id: number;
  readonly call: CallRequest;
  /** Calls with the same number share a signal. */
  readonly signal: number;
}

/** What has happened since the last message. One message for many answers: each costs its own. */
export interface FromThread {
  readonly events: readonly ClientEvent[];
  readonly settled: readonly Settled[];
  /** The bodies of all outcomes, one behind the other. */
  readonly bytes: ArrayBuffer;
}

export type Settled =
  | { readonly id: number; readonly outcome: BodilessOutcome; readonly body?: BodyPlace }
  | { readonly id: number; readonly failure: Failure };

type WithoutBody<Outcome> = Outcome extends unknown ? Omit<Outcome, 'body'> : never;
export type BodilessOutcome = WithoutBody<CallOutcome>;

export interface BodyPlace {
  readonly start: number;
  readonly length: number;
  /** Absent where the bytes are as they came. */
  readonly stored?: Pick<StoredBody, 'encoding' | 'checksum'>;
}

/** Why a call has no outcome; the other thread knows why it stopped or aborted it. */
export type Failure = { readonly kind: 'stopped' | 'aborted' } | ThreadError;
