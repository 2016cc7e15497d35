import { z } from 'zod';

const Amount = z.number().nonnegative();
const Rate = z.number().positive();

/** How the rate comes back after a throttle. */
const Recovery = z.object({
  /** Requests a second that the service refused. */
  refusedRate: Rate,
  /** The time since then in which requests were wanted. */
  recoveredMs: Amount,
  loweredAtMs: Amount,
  /** The rate at which the throttle is forgotten. */
  fullRate: Rate,
});
export type Recovery = Readonly<z.output<typeof Recovery>>;

/**
 * What the processes on a ledger remember of the rate of one service and key. Times are those of the
 * monotonic clock of the machine, unless they are called wall.
 */
const RateMemory = z.object({
  /** Absent where no throttle has lowered the rate. */
  recovery: Recovery.exactOptional(),
  /** When the recovery was last moved on. */
  steppedAtMs: Amount,
  /** Requests a second that the service has said it allows. */
  policyRate: Rate.exactOptional(),
  /** The rest of a quota, shared out until it is whole again. */
  spread: z.object({ perSecond: Rate, untilMs: Amount }).exactOptional(),
  /** Nothing is left of a quota until then. */
  exhausted: z.object({ untilMs: Amount, untilWallMs: Amount }).exactOptional(),
  /** Refusals at rates that pass, and requests that were taken between them. */
  stray: z
    .object({
      answered: Amount,
      refused: Amount,
      /** The share of requests that is refused whatever the rate is; absent until it is proven. */
      share: Amount.exactOptional(),
      /** It was proven before, and then was more than that. */
      wasWrong: z.boolean().exactOptional(),
    })
    .exactOptional(),
  /** The ceilings of the processes that run, and the requests of each that the service has taken of late. */
  senders: z.array(
    z.object({ id: z.string(), ceiling: Rate, seenAtMs: Amount, passedPerSecond: Amount }),
  ),
});
export type RateMemory = Readonly<z.output<typeof RateMemory>>;

export const noMemory: RateMemory = { steppedAtMs: 0, senders: [] };

/** Reads the memory from its text; where that is damaged, nothing is remembered. */
export function parseMemory(text: string): RateMemory {
  if (text === '') return noMemory;
  try {
    return RateMemory.parse(JSON.parse(text));
  } catch {
    return noMemory;
  }
}
