import { DossierError } from '../../core/errors.ts';
import { retry } from '../../platform/retry.ts';
import { forwarding, perform, type RunQueue } from './run-queue.ts';

export interface BusyWait {
  readonly onBusy?: ((waitedMs: number) => void) | undefined;
  /** Undefined while paid answers wait to be stored, so an abort does not lose them. */
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number;
}

/** Short, because signals are handled between attempts. */
export const runBusyMs = 1_000;

/** A run that has not paid for anything gives up after this time. */
export const busyLimitMs = 5 * 60_000;

export function whileBusy<Result>(
  work: () => Result | Promise<Result>,
  { onBusy, signal, limitMs = Number.POSITIVE_INFINITY }: BusyWait,
): Promise<Result> {
  return retry(work, {
    canRetry: isBusy,
    waitMs: 100,
    untilMs: limitMs,
    signal,
    onRetry: (_error, waitedMs) => onBusy?.(waitedMs),
  });
}

export function isBusy(error: unknown): boolean {
  return error instanceof DossierError && error.code === 'LEDGER_BUSY';
}

export function waitingWhileHeld(queue: RunQueue, busyWait: BusyWait): RunQueue {
  const { onBusy } = busyWait;
  const bounded = { ...busyWait, limitMs: busyLimitMs };
  const limits = {
    add: bounded,
    exchange: { onBusy },
    reserve: busyWait,
    returnUnsent: { onBusy },
    recover: bounded,
  };
  const verbs = Object.keys(limits) as (keyof typeof limits)[];
  const waiting = forwarding(verbs, (verb, args) =>
    whileBusy(() => perform(queue, verb, args), limits[verb]),
  );
  return { ...queue, ...waiting };
}
