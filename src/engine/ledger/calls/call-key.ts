import { hash } from 'node:crypto';
import { type Call, callText } from '../../../core/contract/call.ts';

export interface KeyedCall {
  readonly key: Buffer;
  readonly text: string;
}

/** Half of a SHA-256: still no collisions, and the indexes are half as large. */
export const keyBytes = 16;

/** The SQL of `operationOf`. */
export const isPeople = (text: string) => `(${text} glob 'people[?]*')`;

/** The key includes the service, because sample data lacks companies that the real service has. */
export function keyedCall(service: string, call: Call): KeyedCall {
  const text = callText(call);
  return { key: callKey(service, text), text };
}

export function callKey(service: string, text: string): Buffer {
  return Buffer.from(hexKey(service, text), 'hex');
}

export function joinedKeys(service: string, calls: readonly Call[]): Buffer {
  return Buffer.from(calls.map((call) => hexKey(service, callText(call))).join(''), 'hex');
}

/** Hashing a short text to a buffer takes three times as long. */
function hexKey(service: string, text: string) {
  return hash('sha256', `${service}\n${text}`, 'hex').slice(0, 2 * keyBytes);
}
