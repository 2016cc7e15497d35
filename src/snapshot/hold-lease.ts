import { DossierError } from '../errors.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import type { Clock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import { type Control, readControl } from './control.ts';
import { swap, type TakenLease } from './take-lease.ts';

/** A lease that is renewed until it is given back or lost. */
export interface HeldLease {
  /** Aborts with LEASE_LOST as soon as another may have the lease. */
  readonly lost: AbortSignal;
  /** The object as it was last seen. */
  control(): Control;
  /** Looks at the clock at once: a process that was stopped may be late to hear of its timers. */
  check(): void;
  /** Changes the object, only while it names this process; false where it names another or nobody. */
  change(change: (control: Control) => Control): Promise<boolean>;
  /** Gives the lease back, if this process still has it. */
  release(): Promise<void>;
  /** Renews no more, and leaves the object as it is. */
  stop(): void;
}

interface HoldParts {
  readonly store: ObjectStore;
  readonly at: ObjectAddress;
  readonly clock: Clock;
  /** Hears of a renewal that failed, and is tried again. */
  onTrouble?(error: unknown): void;
}

/** The holder gives up before others may take over: clocks do not run equally fast. */
const shareToTrust = 0.9;

export function holdLease(
  taken: TakenLease,
  { store, at, clock, onTrouble }: HoldParts,
): HeldLease {
  const { token, lengthMs } = taken.holder;
  const controller = new AbortController();
  let { read, confirmedAt } = taken;
  let confirmedWallAt = clock.wallMs();
  let renewals = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const lose = (why: string) => {
    isOver = true;
    clearTimeout(timer);
    controller.abort(new DossierError('LEASE_LOST', `${why}. No further call is made`));
  };
  const check = () => {
    if (isOver) return;
    const trustedMs = lengthMs * shareToTrust;
    if (clock.monotonicMs() - confirmedAt < trustedMs) {
      // The monotonic clock of a machine that sleeps stands still, so the store is asked at once.
      if (clock.wallMs() - confirmedWallAt >= trustedMs) renewNow();
      return;
    }
    const length = formatDuration(lengthMs);
    lose(
      `the lease of ${showObjectAddress(at)} could not be renewed for ${length}, so that another process may have it by now`,
    );
  };
  /** One change of the object at a time: each has to know what the last has written. */
  const change = (make: (control: Control) => Control, signal?: AbortSignal): Promise<boolean> => {
    const turn = async () => {
      for (;;) {
        const { holder } = read.control;
        if (holder?.token !== token) {
          if (!isOver) lose(takenText(at, read.control));
          return false;
        }
        const startedAt = clock.monotonicMs();
        renewals += 1;
        const wanted = make({ ...read.control, holder: { ...holder, renewals } });
        const before = { etag: read.etag, ...(signal && { signal }) };
        const written = await swap(store, at, wanted, before);
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
    check();
    if (isOver) return;
    try {
      await change((control) => control, AbortSignal.timeout(Math.ceil(lengthMs / 3)));
      plan(lengthMs / 3);
    } catch (error) {
      if (!isOver) onTrouble?.(error);
      check();
      plan(lengthMs / 20);
    }
  };
  const renewNow = () => {
    confirmedWallAt = clock.wallMs();
    clearTimeout(timer);
    void renew();
  };
  const plan = (ms: number) => {
    if (isOver) return;
    timer = setTimeout(() => void renew(), ms);
    timer.unref();
  };
  // The clock is looked at by a timer of its own: a renewal may hang.
  const watch = setInterval(check, lengthMs / 20);
  watch.unref();
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    clearInterval(watch);
  };
  plan(lengthMs / 3);
  return {
    lost: controller.signal,
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

function takenText(at: ObjectAddress, { holder }: Control): string {
  const where = showObjectAddress(at);
  if (!holder) return `the lease of ${where} was released by somebody else`;
  const since = new Date(holder.startedAt).toISOString();
  return `the lease of ${where} was taken over by ${holder.job} on ${holder.host} (process ${holder.pid}) at ${since}`;
}
