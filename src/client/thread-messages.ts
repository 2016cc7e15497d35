import type { Bundle, BundledBody, CallOutcome, CallRequest } from '../contract/call.ts';
import type { ThreadError } from '../runtime/thread-error.ts';
import type { ClientEvent } from './client-event.ts';
import type { ClientOptions } from './open-client.ts';

/** What a client in a thread is opened with: nothing but data. */
export type ThreadOptions = Omit<ClientOptions, 'clock' | 'onEvent'>;

export type ToThread =
  /** Comes first, though perhaps long after the thread was started. */
  | { readonly kind: 'open'; readonly options: ThreadOptions }
  /** A list of `SentCall` as JSON. */
  | { readonly kind: 'send'; readonly calls: string }
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

/**
 * What has happened since the last message. One message for many answers: each costs its own. The
 * facts travel as JSON, which takes half the time of the copy that a message makes by itself.
 */
export interface FromThread {
  /** `ThreadNews` as JSON. */
  readonly news: string;
  /** All bundles, one behind the other. */
  readonly bytes: ArrayBuffer;
}

export interface ThreadNews {
  readonly events: readonly ClientEvent[];
  readonly settled: readonly Settled[];
  readonly bundles: readonly BundlePlace[];
}

export type Settled =
  | { readonly id: number; readonly outcome: PlacedOutcome }
  | { readonly id: number; readonly failure: Failure };

type Placed<Outcome> = Outcome extends { readonly body: unknown }
  ? Omit<Outcome, 'body'> & { readonly body: BodyPlace }
  : Outcome;
/** An outcome whose body lies in the bytes of the message. */
type PlacedOutcome = Placed<CallOutcome>;

/** Where a bundle lies in the bytes of the message. */
export interface BundlePlace extends Omit<Bundle, 'bytes'> {
  readonly byteStart: number;
  readonly byteLength: number;
}

export interface BodyPlace extends Omit<BundledBody, 'bundle'> {
  /** Which of the bundles of the message. */
  readonly bundle: number;
}

/** Why a call has no outcome; the other thread knows why it stopped or aborted it. */
export type Failure = { readonly kind: 'stopped' | 'aborted' } | ThreadError;
