import { type CallRequest, canonicalCall } from '../../../src/contract/call.ts';
import { type CallMessage, messageVersion } from '../../../src/share/messages/call-message.ts';
import type { Share } from '../../../src/share/open-share.ts';

/** What a run writes to have a call asked. */
export function callMessage(
  run: Pick<Share, 'presence' | 'nowMs'>,
  call: CallRequest,
  changes: Partial<CallMessage> = {},
): CallMessage {
  return {
    ...{ version: messageVersion, call: canonicalCall(call) },
    ...{ run: run.presence.id, askedAt: run.nowMs() },
    ...{ freshFrom: { hit: 0, miss: 0 }, timeoutMs: 1_000, isProven: true, charged: 'answers' },
    ...{ keepMs: 60_000, maxBytes: 1_000_000 },
    ...changes,
  };
}
