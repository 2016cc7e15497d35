import { hash } from 'node:crypto';
import { type CallRequest, canonicalCall } from '../contract/call.ts';

/** A call as the ledger keeps it: its canonical text, and the hash that is its key. */
export interface KeyedCall {
  readonly key: Buffer;
  readonly request: string;
}

export function keyedCall(call: CallRequest): KeyedCall {
  const request = canonicalCall(call);
  return { key: hash('sha256', request, 'buffer'), request };
}
