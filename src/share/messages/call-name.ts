import { createHash } from 'node:crypto';
import { type CallRequest, canonicalCall } from '../../contract/call.ts';

/** The name of a call in Redis. It has no colon, which BullMQ keeps for itself. */
export function callName(call: CallRequest): string {
  return createHash('sha256').update(canonicalCall(call)).digest('hex').slice(0, 32);
}
