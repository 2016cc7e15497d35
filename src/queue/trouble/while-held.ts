import { setTimeout as delay } from 'node:timers/promises';
import { DossierError } from '../../errors.ts';

/** Hears that another program holds the ledger, and for how long this one has waited. */
export type OnHeld = (waitedMs: number) => void;

export interface Patience {
  readonly onHeld?: OnHeld | undefined;
  /** Ends the waiting. Not given where answers wait to be stored: they are paid for. */
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number;
}

/** SQLite waits for a second itself; signals are heard between two attempts. */
export const busyMs = 1_000;
const pauseMs = 100;

/** Where nothing is paid for yet, a run gives up after so long. */
export const patienceMs = 5 * 60_000;

/** Tries a transaction again and again while another program holds the ledger. */
export async function whileHeld<Result>(
  work: () => Result | Promise<Result>,
  { onHeld, signal, limitMs = Number.POSITIVE_INFINITY }: Patience,
): Promise<Result> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (!isHeld(error) || waitedMs >= limitMs) throw error;
      onHeld?.(waitedMs);
    }
    signal?.throwIfAborted();
    await delay(pauseMs);
  }
}

export function isHeld(error: unknown): boolean {
  return error instanceof DossierError && error.code === 'LEDGER_BUSY';
}
