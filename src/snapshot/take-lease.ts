import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { DossierError } from '../errors.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import { requireConditions } from '../objects/require-conditions.ts';
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

/** Longer than most outages of a store, and shorter than anybody minds to wait after a crash. */
const usualLengthMs = 120_000;

/** For tests, which do not wait for minutes. */
export function leaseLengthMs(env: Readonly<Record<string, string | undefined>>): number {
  return Number(env.DOSSIER_LEASE_MS) || usualLengthMs;
}

export interface LeaseRequest {
  readonly at: ObjectAddress;
  /** What the lease is for: a job, or a command. */
  readonly job: string;
  readonly lengthMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears that a lease is there, and for how long it is watched at most. */
  onWatch?(holder: Holder, atMostMs: number): void;
  /** Asked before the first lease of a place is written; what it throws refuses the lease. */
  onFirst?(): Promise<void>;
}

/** The object as this process has last written it, and when it began to. */
export interface TakenLease {
  readonly read: ReadControl;
  readonly holder: Holder;
  /** By the monotonic clock, before the request left. */
  readonly confirmedAt: number;
}

/**
 * Takes the lease of a ledger, or throws LEASE_HELD. One that is there is watched by the clock of this
 * process alone: it is free if it has not changed for its whole length, and held as soon as it changes.
 */
export async function takeLease(store: ObjectStore, request: LeaseRequest): Promise<TakenLease> {
  const { at, clock, signal } = request;
  for (;;) {
    const found = await readControl(store, at, signal);
    const { holder: other } = found.control;
    if (found.etag === undefined) await request.onFirst?.();
    if (other) await watch(store, request, { ...found, holder: other });
    const holder = newHolder(request);
    const confirmedAt = clock.monotonicMs();
    const wanted = { ...found.control, holder };
    const read = await swap(store, at, wanted, { etag: found.etag, signal });
    if (!read) continue;
    try {
      // A store that ignores conditions would let two pods pay at once.
      await requireConditions(store, controlAddress(at), controlBytes(read.control));
    } catch (error) {
      await writeControl(store, at, { ...read.control, holder: null }, read).catch(() => {});
      throw error;
    }
    return { read, holder, confirmedAt };
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

/** Returns when the lease may be taken: it was given back, or has not changed for its length. */
async function watch(
  store: ObjectStore,
  { at, clock, signal, onWatch }: LeaseRequest,
  first: { readonly etag: string | undefined; readonly holder: Holder },
): Promise<void> {
  const { lengthMs } = first.holder;
  const endsAt = clock.monotonicMs() + lengthMs;
  const pauseMs = Math.min(3_000, Math.max(20, lengthMs / 40));
  onWatch?.(first.holder, lengthMs);
  while (clock.monotonicMs() < endsAt) {
    await clock.sleep(pauseMs, signal);
    const { control, etag } = await readControl(store, at, signal);
    if (etag === first.etag) continue;
    if (control.holder) throw held(at, control.holder);
    return;
  }
}

function held(at: ObjectAddress, { host, pid, job, startedAt, lengthMs }: Holder): DossierError {
  const since = new Date(startedAt).toISOString();
  const where = showObjectAddress(at);
  return new DossierError(
    'LEASE_HELD',
    `the ledger of ${where} is in use by ${job} on ${host} (process ${pid}) since ${since}, which has just renewed its lease. It is free when that ends, or ${formatDuration(lengthMs)} after it has died`,
  );
}

/**
 * Writes the object if it is as it was read. A store may have written it though the reply was lost, and
 * then refuses the repetition: so a refusal counts only if the object is not what was to be written.
 */
export async function swap(
  store: ObjectStore,
  at: ObjectAddress,
  wanted: Control,
  before: { readonly etag: string | undefined; readonly signal?: AbortSignal },
): Promise<ReadControl | undefined> {
  const written = await writeControl(store, at, wanted, before);
  if (written) return written;
  const found = await readControl(store, at, before.signal);
  return JSON.stringify(found.control) === JSON.stringify(wanted) ? found : undefined;
}
