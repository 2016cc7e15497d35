import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { z } from 'zod';
import { DossierError, type ErrorCode } from '../../core/errors.ts';
import { formatDuration } from '../../core/values/duration.ts';
import type { CopyTokens } from '../../engine/ledger/care/backup-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ObjectAddress, showObjectAddress } from '../../platform/objects/object-address.ts';
import { type ObjectStore, requireConditions } from '../../platform/objects/open-object-store.ts';

/**
 * The lease holder is the only process that may pay. Writes are conditional, so no other process
 * can replace the copy.
 */

const Holder = z.object({
  token: z.string(),
  host: z.string(),
  pid: z.number(),
  job: z.string(),
  /** By the holder's clock, for display only. */
  startedAt: z.number(),
  lengthMs: z.number(),
  /** Makes each renewal change the etag. */
  renewals: z.number(),
});

const StoredCopy = z.object({
  key: z.string(),
  size: z.number(),
  answers: z.number(),
  lastAnswerId: z.number(),
  storedAt: z.number(),
  host: z.string(),
});

const Control = z.object({
  dossier: z.literal(2),
  holder: Holder.nullable(),
  snapshot: StoredCopy.nullable(),
  others: z.array(z.string()),
  /** A holder died after the copy was stored, perhaps after it had delivered runs. */
  mayLackRuns: z.boolean().default(false),
});

type Holder = z.output<typeof Holder>;
export type StoredCopy = z.output<typeof StoredCopy>;
export type Control = z.output<typeof Control>;

const nothing = Control.parse({ dossier: 2, holder: null, snapshot: null, others: [] });

function controlAddress({ bucket, key }: ObjectAddress): ObjectAddress {
  return { bucket, key: `${key}.lease` };
}

/** Followed by the time, so copies sort by age. */
export const copyMark = '.copy-';

interface ReadControl {
  readonly control: Control;
  /** Absent before the first write. */
  readonly etag?: string | undefined;
}

export async function readControl(
  store: ObjectStore,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<ReadControl> {
  const address = controlAddress(at);
  const found = await store.get(address, signal);
  if (!found) return { control: nothing };
  const text = Buffer.concat(await Array.fromAsync(found.bytes)).toString();
  try {
    return { control: Control.parse(JSON.parse(text)), etag: found.facts.etag };
  } catch (cause) {
    const message = `${showObjectAddress(address)} was not written by this version of Dossier`;
    throw new DossierError('SNAPSHOT_MISMATCH', message, { cause });
  }
}

/**
 * If the reply to a successful write is lost, its retry is refused. So after a refusal, check
 * whether the stored object is already the one to write.
 */
export async function writeControl(
  store: ObjectStore,
  at: ObjectAddress,
  control: Control,
  etag: string | undefined,
  signal?: AbortSignal,
): Promise<ReadControl | undefined> {
  const written = await store.put(controlAddress(at), Buffer.from(JSON.stringify(control)), {
    replaces: etag ?? null,
    type: 'application/json',
    signal,
  });
  if (written) return { control, etag: written.etag };
  const found = await readControl(store, at, signal);
  return JSON.stringify(found.control) === JSON.stringify(control) ? found : undefined;
}

/** Without the control object, a run would pay for the answers of all copies again. */
export async function refuseForgotten(
  store: ObjectStore,
  at: ObjectAddress,
  tokens: CopyTokens | undefined,
): Promise<void> {
  const copies = await Array.fromAsync(store.list({ ...at, key: at.key + copyMark }));
  const newest = copies.at(-1);
  const address = newest && showObjectAddress({ ...at, key: newest.key });
  if (address === undefined || isStoredAs(tokens, address)) return;
  throw new DossierError(
    'SNAPSHOT_DAMAGED',
    `${showObjectAddress(controlAddress(at))} is missing; the newest copy of the ledger is ${address}`,
  );
}

/** A pending token counts too, because its upload may have completed. */
export function isStoredAs(tokens: CopyTokens | undefined, address: string): boolean {
  return tokens?.token === address || tokens?.pending === address;
}

/** Longer than most store outages. After a crash the next pod waits this long. */
const usualLengthMs = 120_000;

export function leaseLengthMs(env: Readonly<Record<string, string | undefined>>): number {
  return Number(env.DOSSIER_LEASE_MS) || usualLengthMs;
}

/** Seconds between SIGTERM and SIGKILL, as in deploy/. */
const usualGrace = 420;
/** Extra time for an upload that began in time, and again for the last message. */
export const lastAttemptMs = 30_000;

export function lastSnapshotMs(env: Readonly<Record<string, string | undefined>>): number {
  const graceMs = (Number(env.DOSSIER_GRACE_SECONDS) || usualGrace) * 1_000;
  return Math.max(0, graceMs - 2 * lastAttemptMs);
}

export interface SnapshotListener {
  onWatch?(holder: Holder, atMostMs: number): void;
  onTaken?(lengthMs: number): void;
  onRestored?(
    copy: StoredCopy,
    facts: { readonly bytes: number; readonly ms: number; readonly replaced: string | undefined },
  ): void;
  onStored?(copy: StoredCopy, facts: { readonly bytes: number; readonly ms: number }): void;
  onError?(what: 'lease' | 'snapshot', error: unknown): void;
  onLost?(error: Error): void;
}

export interface LeaseOptions {
  readonly store: ObjectStore;
  readonly at: ObjectAddress;
  readonly job: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly listener: SnapshotListener;
}

export interface Lease {
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
  lose(error: DossierError): void;
  control(): Control;
  /** Call before paying, because a suspended process may resume before its timers fire. */
  check(): void;
  /** One change at a time, because each needs the etag of the last. False if the lease is lost. */
  change(make: (control: Control) => Control, signal?: AbortSignal): Promise<boolean>;
  release(): Promise<void>;
  /** Without a release, so the lease stays for its length. */
  stop(): void;
}

/** A lease is free after its full length without a change, by this process's clock. */
export async function takeLease(
  options: LeaseOptions,
  onFirst?: () => Promise<void>,
): Promise<Lease> {
  const { store, at, clock, signal, job, leaseMs: lengthMs } = options;
  for (;;) {
    const { control, etag } = await readControl(store, at, signal);
    if (etag === undefined) await onFirst?.();
    if (control.holder) await watch(options, etag, control.holder);
    const token = randomUUID();
    const startedAt = clock.wallMs();
    const { pid } = process;
    const holder = { token, host: hostname(), pid, job, startedAt, lengthMs, renewals: 0 };
    const confirmedAt = clock.monotonicMs();
    const mayLackRuns = control.mayLackRuns || control.holder !== null;
    const wanted = { ...control, holder, mayLackRuns };
    const read = await writeControl(store, at, wanted, etag, signal);
    if (!read) continue;
    try {
      // If the store ignored conditions, two pods would pay at once.
      const bytes = Buffer.from(JSON.stringify(read.control));
      await requireConditions(store, controlAddress(at), bytes);
    } catch (error) {
      await writeControl(store, at, { ...wanted, holder: null }, read.etag).catch(() => {});
      throw error;
    }
    return holdLease(options, read, token, confirmedAt);
  }
}

async function watch(
  { store, at, clock, signal, listener }: LeaseOptions,
  etag: string | undefined,
  other: Holder,
) {
  const { lengthMs } = other;
  const endsAt = clock.monotonicMs() + lengthMs;
  listener.onWatch?.(other, lengthMs);
  while (clock.monotonicMs() < endsAt) {
    await clock.sleep(Math.min(3_000, Math.max(20, lengthMs / 40)), signal);
    const found = await readControl(store, at, signal);
    if (found.etag === etag) continue;
    const { holder } = found.control;
    if (!holder) return;
    throw new DossierError(
      'JOB_BUSY',
      `the ledger at ${showObjectAddress(at)} is in use by ${holderText(holder)}, which just renewed its lease. The ledger becomes free when that process ends, or ${formatDuration(holder.lengthMs)} after it dies`,
    );
  }
}

function holderText({ job, host, pid, startedAt }: Holder) {
  return `${job} on ${host} (process ${pid}) since ${new Date(startedAt).toISOString()}`;
}

/** Clocks drift, so the holder gives up early. */
const shareToTrust = 0.9;

function holdLease(
  { store, at, leaseMs: lengthMs, clock, listener }: LeaseOptions,
  first: ReadControl,
  token: string,
  startedAt: number,
): Lease {
  const where = showObjectAddress(at);
  const controller = new AbortController();
  let read = first;
  let confirmedAt = startedAt;
  let confirmedWallAt = clock.wallMs();
  let renewals = 0;
  let isOver = false;
  let isRenewing = false;
  let isStoreAway = false;
  let queue: Promise<unknown> = Promise.resolve();

  const stop = () => {
    isOver = true;
    clearInterval(timer);
  };
  const lose = (error: DossierError) => {
    if (isOver) return;
    stop();
    controller.abort(error);
    listener.onLost?.(error);
  };
  const loseBecause = (why: string, code: ErrorCode = 'LEASE_LOST') =>
    lose(new DossierError(code, `the lease on ${where} ${why}. No more calls will be made`));

  const change: Lease['change'] = (make, signal) => {
    const turn = async () => {
      for (;;) {
        const { holder } = read.control;
        if (holder?.token !== token) {
          loseBecause(
            holder ? `was taken over by ${holderText(holder)}` : 'was released elsewhere',
          );
          return false;
        }
        const sentAt = clock.monotonicMs();
        renewals += 1;
        const wanted = make({ ...read.control, holder: { ...holder, renewals } });
        const written = await writeControl(store, at, wanted, read.etag, signal);
        if (written) {
          read = written;
          confirmedAt = sentAt;
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
      isStoreAway = false;
    } catch (error) {
      isStoreAway = true;
      if (!isOver) listener.onError?.('lease', error);
    }
    isRenewing = false;
  };
  const check = () => {
    if (isOver) return;
    const ageMs = clock.monotonicMs() - confirmedAt;
    const trustedMs = lengthMs * shareToTrust;
    if (ageMs >= trustedMs) {
      loseBecause(
        `could not be renewed for ${formatDuration(lengthMs)}, so another process may hold the lease by now`,
        isStoreAway ? 'STORE_DOWN' : 'LEASE_LOST',
      );
      return;
    }
    // The monotonic clock stops while a machine sleeps, so compare the wall clock too.
    const hasSlept = clock.wallMs() - confirmedWallAt >= trustedMs;
    if (!isRenewing && (hasSlept || ageMs >= lengthMs / 3)) void renew();
  };
  const timer = setInterval(check, lengthMs / 20);
  timer.unref();
  return {
    lost: controller.signal,
    lose,
    control: () => read.control,
    check,
    change,
    async release() {
      stop();
      await change((control) => ({ ...control, holder: null }));
    },
    stop,
  };
}
