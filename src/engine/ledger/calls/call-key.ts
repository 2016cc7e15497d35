import { hash } from 'node:crypto';
import { type CallRequest, canonicalCall } from '../../../core/contract/call.ts';

export interface KeyedCall {
  readonly key: Buffer;
  readonly request: string;
}

/** Half of a SHA-256: still no collisions, and the indexes are half as large. */
export const keyBytes = 16;

/** The key includes the service, because sample data lacks companies that the real service has. */
export function keyedCall(service: string, call: CallRequest): KeyedCall {
  const request = canonicalCall(call);
  return { key: callKey(service, request), request };
}

export function callKey(service: string, request: string): Buffer {
  return Buffer.from(hexKey(service, request), 'hex');
}

export function joinedKeys(service: string, calls: readonly CallRequest[]): Buffer {
  return Buffer.from(calls.map((call) => hexKey(service, canonicalCall(call))).join(''), 'hex');
}

/** Hashing a short text to a buffer takes three times as long. */
function hexKey(service: string, request: string) {
  return hash('sha256', `${service}\n${request}`, 'hex').slice(0, 2 * keyBytes);
}
