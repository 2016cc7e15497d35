import { hash } from 'node:crypto';
import { type CallRequest, canonicalCall } from '../../../core/contract/call.ts';

/** A call as the ledger keeps it: its canonical text, and a hash of it as the key. */
export interface KeyedCall {
  readonly key: Buffer;
  readonly request: string;
}

/** Half of a SHA-256: no two calls will ever share it, and the indexes are half as large. */
export const keyBytes = 16;

/**
 * How many calls an answer may serve besides its own: by the id, the ABN, the host and the slug of its
 * company. Gathering looks at so many keys of an answer and would pass over another without a word.
 */
export const mostAliasKeys = 4;

/**
 * The service is part of the key, though not of the text: what the sample data or a staging service
 * does not know, the real one may.
 */
export function keyedCall(service: string, call: CallRequest): KeyedCall {
  const request = canonicalCall(call);
  return { key: callKey(service, request), request };
}

/** The key of a call whose canonical text is known. */
export function callKey(service: string, request: string): Buffer {
  return Buffer.from(hexKey(service, request), 'hex');
}

/** The keys of several calls, joined. */
export function joinedKeys(service: string, calls: readonly CallRequest[]): Buffer {
  return Buffer.from(calls.map((call) => hexKey(service, canonicalCall(call))).join(''), 'hex');
}

/** Hex text: for so short an input, a hash as a buffer takes three times as long. */
function hexKey(service: string, request: string): string {
  return hash('sha256', `${service}\n${request}`, 'hex').slice(0, 2 * keyBytes);
}
