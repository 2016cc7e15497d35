import { z } from 'zod';

/**
 * Goes up when a message changes its meaning. A worker answers in the version that it is asked in, and
 * gives back what it does not know: some worker of that version is there, as every run brings one.
 */
export const messageVersion = 1;

/** More than any search asks for, in characters. */
export const longestCall = 256 * 1_024;
export const largestMessageBytes = 4 * longestCall;

/** A call that a run wants to have asked once. It holds no key, and no address of the service. */
export const CallMessage = z.object({
  version: z.literal(messageVersion),
  /** The canonical text of the call. */
  call: z.string().max(longestCall),
  /** The run that pays for it. Where it has gone, nobody asks. */
  run: z.string(),
  /** When it was asked for, by the clock of Redis. */
  askedAt: z.number(),
  /** Answers that were fetched before are too old, by their kind. */
  freshFrom: z.object({ hit: z.number(), miss: z.number() }),
  timeoutMs: z.number().positive(),
  /** The service has given a hit before, so that an empty 404 is its word for a miss. */
  isProven: z.boolean(),
  charged: z.enum(['hits', 'answers']),
  /** How long the answer stays in Redis, and the bytes that all answers may take there. */
  keepMs: z.number().positive(),
  maxBytes: z.number().positive(),
});
export type CallMessage = z.output<typeof CallMessage>;

/** What an attempt came to that brought no answer. Words of the service are without the key. */
const EmptyVerdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('invalid'), message: z.string() }),
  z.object({ kind: z.literal('refused'), message: z.string() }),
  z.object({ kind: z.literal('forbidden'), message: z.string() }),
  z.object({ kind: z.literal('quota'), message: z.string() }),
  z.object({
    kind: z.literal('transient'),
    reason: z.string(),
    isUnreached: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal('unproven'), reason: z.string() }),
  z.object({ kind: z.literal('unusable'), reason: z.string() }),
  z.object({ kind: z.literal('oversized'), reason: z.string() }),
]);

/** What came of a call that was asked once. */
export const CallResult = z.discriminatedUnion('kind', [
  /** The answer lies in Redis. `mayBeCharged` is about the run that the message names. */
  z.object({
    kind: z.literal('answered'),
    run: z.string(),
    mayBeCharged: z.boolean(),
  }),
  z.object({
    kind: z.literal('unanswered'),
    run: z.string(),
    mayBeCharged: z.boolean(),
    verdict: EmptyVerdict,
    status: z.number(),
    durationMs: z.number(),
    /** By the clock of Redis. */
    endedAt: z.number(),
  }),
  /** The worker that had begun was lost, and may have asked: only the run can reserve another request. */
  z.object({ kind: z.literal('lost'), run: z.string(), mayBeCharged: z.literal(true) }),
  /** Nobody has asked: the run that wanted it has gone. */
  z.object({ kind: z.literal('unwanted') }),
]);
export type CallResult = z.output<typeof CallResult>;
