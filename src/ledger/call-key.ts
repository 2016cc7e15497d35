import { hash } from 'node:crypto';
import { type CallRequest, canonicalCall } from '../contract/call.ts';

/** A call as the ledger keeps it: its canonical text, and the hash that is its key. */
export interface KeyedCall {
  readonly key: Buffer;
  readonly request: string;
}

/** Half of a SHA-256: no two calls will ever share it, and the indexes are half as large. */
const keyBytes = 16;

/**
 * The service is part of the key, though not of the text: what the sample data or a staging service
 * does not know, the real one may.
 */
export function keyedCall(service: string, call: CallRequest): KeyedCall {
  const request = canonicalCall(call);
  return { key: hash('sha256', `${service}\n${request}`, 'buffer').subarray(0, keyBytes), request };
}
