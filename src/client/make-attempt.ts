import type { CallRequest } from '../contract/call.ts';
import type { Redact } from '../runtime/redact.ts';
import type { BuildRequest } from './build-request.ts';
import { classifyAnswer, type Verdict } from './classify-answer.ts';
import type { OnEvent } from './client-event.ts';
import type { KeyGuard } from './guard-key.ts';
import type { Permit, Permits } from './permits.ts';
import { readRetryAfter } from './read-retry-after.ts';
import type { RunStop } from './run-stop.ts';
import { type AttemptResult, type SendOptions, sendRequest } from './send-request.ts';
import type { Slot } from './slots.ts';
import type { GatePass, ThrottleGate } from './throttle-gate.ts';
import { tidyText } from './tidy-text.ts';

export interface Attempt {
  readonly verdict: Verdict;
  /** 0 where nothing came back. */
  readonly status: number;
  readonly body: Buffer;
  readonly mayEchoKey: boolean;
  readonly durationMs: number;
}

export interface AttemptParts extends SendOptions {
  readonly buildRequest: BuildRequest;
  readonly permits: Permits;
  readonly gate: ThrottleGate;
  readonly runStop: RunStop;
  readonly redact: Redact;
  readonly keyGuard: KeyGuard;
  readonly onEvent: OnEvent;
}

const nothing = Buffer.alloc(0);

/**
 * Waits for its turn, asks once, judges the answer and gives the slot back. A stop of the run ends
 * the waiting at once, but not an attempt that has left: its answer may have been paid for.
 */
export async function makeAttempt(
  parts: AttemptParts,
  call: CallRequest,
  slot: Slot,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const waiting = parts.runStop.or(signal);
    let leave: Leave | undefined;
    // A redirect takes a second request, which stays away from a closed gate like any other.
    const takePermit = () => {
      const atOnce = leaveAtOnce(parts, waiting);
      return atOnce ? leaveWith(atOnce) : waitForLeave(parts, waiting).then(leaveWith);
    };
    const leaveWith = (given: Leave) => {
      leave = given;
      return given.permit;
    };
    const result = await sendRequest(parts, parts.buildRequest(call), takePermit, signal);

    const answer = result.kind === 'answered' ? result.answer : undefined;
    const verdict = tidyVerdict(judge(call, result), parts.redact);
    parts.onEvent({
      type: 'attempt.made',
      operation: call.operation,
      ...(answer && { status: answer.status }),
      verdict: verdict.kind,
      durationMs: result.durationMs,
    });
    if (verdict.kind === 'throttled' && leave) {
      parts.gate.close(leave.pass, readRetryAfter(answer?.headers ?? {}, parts.clock.wallMs()));
    }
    const { status = 0, body = nothing } = answer ?? {};
    const mayEchoKey = parts.keyGuard.mayBeIn(body);
    return { verdict, status, body, mayEchoKey, durationMs: result.durationMs };
  } finally {
    slot.giveBack();
  }
}

interface Leave {
  readonly pass: GatePass;
  readonly permit: Permit;
}

/** Without a rate and while nobody is throttled there is nothing to wait for. */
function leaveAtOnce({ gate, permits }: AttemptParts, signal: AbortSignal): Leave | undefined {
  const permit = gate.isClosed() || signal.aborted ? undefined : permits.free;
  const pass = permit && gate.pass();
  return pass && { pass, permit };
}

async function waitForLeave({ gate, permits }: AttemptParts, signal: AbortSignal): Promise<Leave> {
  for (;;) {
    await gate.waitUntilOpen(signal);
    const permit = await permits.take(signal);
    const pass = gate.pass();
    if (pass && !signal.aborted) return { pass, permit };
    // The gate closed or the run stopped while this call stood in line.
    permit.giveBack();
    signal.throwIfAborted();
  }
}

function judge(call: CallRequest, result: AttemptResult): Verdict {
  switch (result.kind) {
    case 'answered':
      return classifyAnswer(call, result.answer);
    case 'broken':
      return { kind: 'transient', reason: result.reason };
    case 'unusable':
    case 'oversized':
      return { kind: result.kind, reason: result.reason };
  }
}

/** Everything below this line may quote the service, so nothing above it needs to think of it. */
function tidyVerdict(verdict: Verdict, redact: Redact): Verdict {
  if ('message' in verdict) return { ...verdict, message: tidyText(verdict.message, redact) };
  if ('reason' in verdict) return { ...verdict, reason: tidyText(verdict.reason, redact) };
  return verdict;
}
