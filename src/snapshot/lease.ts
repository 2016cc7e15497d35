import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { DossierError } from '../errors.ts';
import type { ObjectAddress } from '../objects/object-address.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectStore } from '../objects/open-object-store.ts';
import { requireConditions } from '../objects/open-object-store.ts';
import type { Clock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import {
  type Control,
  controlAddress,
  controlBytes,
  type Holder,
  type ReadControl,
  readControl,
  writeControl,
} from './control.ts';

/** Longer than most outages of a store; a pod waits this long after another has crashed. */
const usualLengthMs = 120_000;

/** For tests, which do not wait for minutes. */
export function leaseLengthMs(env: Readonly<Record<string, string | undefined>>): number {
  return Number(env.DOSSIER_LEASE_MS) || usualLengthMs;
}

export interface LeaseRequest {
  readonly at: ObjectAddress;
  /** The job or command that takes the lease. */
  readonly job: string;
  readonly lengthMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Another process has the lease and is watched, for this time at most. */
  onWatch?(holder: Holder, atMostMs: number): void;
  /** Called before the first lease at an address is written; an error refuses the lease. */
  onFirst?(): Promise<void>;
  /** A renewal failed, and is tried again. */
  onTrouble?(error: unknown): void;
}

/** A lease that is renewed until it is released or lost. */
export type Lease = Awaited<ReturnType<typeof takeLease>>;

/**
 * Takes the lease of a ledger, or throws LEASE_HELD. The lease of another process is free once it has
 * not changed for its whole length, by the clock of this process.
 */
export async function takeLease(store: ObjectStore, request: LeaseRequest) {
  const { at, clock, signal } = request;
  for (;;) {
    const found = await readControl(store, at, signal);
    if (found.etag === undefined) await request.onFirst?.();
    if (found.control.holder) await watch(store, request, found.etag, found.control.holder);
    const holder = newHolder(request);
    const confirmedAt = clock.monotonicMs();
    const read = await writeControl(store, at, { ...found.control, holder }, { ...found, signal });
    if (!read) continue;
    try {
      // A store that ignores conditions would let two pods pay at once.
      await requireConditions(store, controlAddress(at), controlBytes(read.control));
    } catch (error) {
      await writeControl(store, at, { ...read.control, holder: null }, read).catch(() => {});
      throw error;
    }
    return holdLease(store, request, { read, token: holder.token, confirmedAt });
  }
}

function newHolder({ job, lengthMs, clock }: LeaseRequest): Holder {
  return {
    token: randomUUID(),
    host: hostname(),
    pid: process.pid,
    job,
    startedAt: clock.wallMs(),
    lengthMs,
    renewals: 0,
  };
}

/** Returns when the lease may be taken: it was released, or has not changed for its length. */
async function watch(
  store: ObjectStore,
  { at, clock, signal, onWatch }: LeaseRequest,
  etag: string | undefined,
  other: Holder,
): Promise<void> {
  const { lengthMs } = other;
  const endsAt = clock.monotonicMs() + lengthMs;
  onWatch?.(other, lengthMs);
  while (clock.monotonicMs() < endsAt) {
    await clock.sleep(Math.min(3_000, Math.max(20, lengthMs / 40)), signal);
    const found = await readControl(store, at, signal);
    if (found.etag === etag) continue;
    const { holder } = found.control;
    if (!holder) return;
    throw new DossierError(
      'LEASE_HELD',
      `the ledger of ${showObjectAddress(at)} is in use by ${holderText(holder)}, which has just renewed its lease. It is free when that ends, or ${formatDuration(holder.lengthMs)} after it has died`,
    );
  }
}

function holderText({ job, host, pid, startedAt }: Holder): string {
  return `${job} on ${host} (process ${pid}) since ${new Date(startedAt).toISOString()}`;
}

/** The holder gives up before others may take over: clocks do not run equally fast. */
const shareToTrust = 0.9;

function holdLease(
  store: ObjectStore,
  { at, lengthMs, clock, onTrouble }: LeaseRequest,
  taken: { readonly read: ReadControl; readonly token: string; readonly confirmedAt: number },
) {
  const where = showObjectAddress(at);
  const controller = new AbortController();
  let { read, confirmedAt } = taken;
  let confirmedWallAt = clock.wallMs();
  let renewals = 0;
  let isOver = false;
  let isRenewing = false;
  let queue: Promise<unknown> = Promise.resolve();

  const stop = () => {
    isOver = true;
    clearInterval(timer);
  };
  const lose = (error: DossierError) => {
    if (isOver) return;
    stop();
    controller.abort(error);
  };
  const loseBecause = (why: string) =>
    lose(new DossierError('LEASE_LOST', `the lease of ${where} ${why}. No further call is made`));

  /** One change of the object at a time: each has to know what the last has written. */
  const change = (make: (control: Control) => Control, signal?: AbortSignal): Promise<boolean> => {
    const turn = async () => {
      for (;;) {
        const { holder } = read.control;
        if (holder?.token !== taken.token) {
          loseBecause(
            holder ? `was taken over by ${holderText(holder)}` : 'was released elsewhere',
          );
          return false;
        }
        const startedAt = clock.monotonicMs();
        renewals += 1;
        const wanted = make({ ...read.control, holder: { ...holder, renewals } });
        const written = await writeControl(store, at, wanted, { etag: read.etag, signal });
        if (written) {
          read = written;
          confirmedAt = startedAt;
          confirmedWallAt = clock.wallMs();
          return true;
        }
        read = await readControl(store, at, signal);
      }
    };
    const done = queue.then(turn);
    queue = done.catch(() => {});
    return done;
  };
  const renew = async () => {
    isRenewing = true;
    try {
      await change((control) => control, AbortSignal.timeout(Math.ceil(lengthMs / 3)));
    } catch (error) {
      if (!isOver) onTrouble?.(error);
    }
    isRenewing = false;
  };
  const check = () => {
    if (isOver) return;
    const ageMs = clock.monotonicMs() - confirmedAt;
    const trustedMs = lengthMs * shareToTrust;
    if (ageMs >= trustedMs) {
      loseBecause(
        `could not be renewed for ${formatDuration(lengthMs)}, so another process may have it by now`,
      );
      return;
    }
    // The monotonic clock stands still while a machine sleeps.
    const hasSlept = clock.wallMs() - confirmedWallAt >= trustedMs;
    if (!isRenewing && (hasSlept || ageMs >= lengthMs / 3)) void renew();
  };
  const timer = setInterval(check, lengthMs / 20);
  timer.unref();
  return {
    /** Aborts as soon as another process may have the lease. */
    lost: controller.signal,
    lose,
    /** The object as it was last seen. */
    control: () => read.control,
    /** Looks at the clock at once: a stopped process wakes before its timers do. */
    check,
    /** Changes the object while this process has the lease; false where another has it. */
    change,
    async release() {
      stop();
      await change((control) => ({ ...control, holder: null }));
    },
    /** Renews no more, and leaves the object as it is. */
    stop,
  };
}
