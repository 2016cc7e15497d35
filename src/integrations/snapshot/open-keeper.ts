import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DossierError, type ErrorCode, messageOf } from '../../core/errors.ts';
import { counted } from '../../core/values/format.ts';
import { lookAtTokens, readTokens, writeTokens } from '../../engine/ledger/care/backup-ledger.ts';
import { realLedgerPath } from '../../engine/ledger/file/ledger-path.ts';
import { claimTemporary, removeLeftovers } from '../../platform/files/atomic-file.ts';
import { type ObjectAddress, showObjectAddress } from '../../platform/objects/object-address.ts';
import type { ObjectStore } from '../../platform/objects/open-object-store.ts';
import { retry } from '../../platform/retry.ts';
import { packLedger, restoreLedger } from './copy-ledger.ts';
import {
  copyMark,
  isStoredAs,
  type Lease,
  type LeaseOptions,
  lastAttemptMs,
  readControl,
  refuseForgotten,
  takeLease,
} from './lease.ts';

export interface KeeperOptions extends LeaseOptions {
  readonly ledger: string;
  readonly everyMs: number;
  readonly lastCopyMs: number;
  readonly mustExist: boolean;
}

const storeErrors: readonly ErrorCode[] = ['STORE_DOWN', 'STORE_REFUSED', 'STORE_UNCONDITIONAL'];

export interface LedgerKeeper {
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
  /** Throws if the lease is lost. */
  check(): void;
  storedAt(): number | undefined;
  /** Stores the last copy and releases the lease. Returns why it was not stored. */
  end(removesOld?: boolean): Promise<DossierError | undefined>;
}

export async function openKeeper(options: KeeperOptions): Promise<LedgerKeeper> {
  const { store, at, ledger, listener } = options;
  const lease = await takeLease(options, () => refuseForgotten(store, at, readTokens(ledger)));
  listener.onTaken?.(options.leaseMs);
  try {
    await bringToNewest(lease, options);
  } catch (error) {
    await lease.release().catch(() => {});
    throw error;
  }
  const { clock, signal, lastCopyMs } = options;
  let stoppedAt: number | undefined;
  const noteStop = () => {
    stoppedAt = clock.monotonicMs();
  };
  signal.addEventListener('abort', noteStop, { once: true });
  const stopping = new AbortController();
  let storing: Promise<void> | undefined;
  const storeAnswers = async () => {
    try {
      if (answersAtRisk(lease, ledger) > 0) await storeCopy(lease, options, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) listener.onError?.('snapshot', error);
    }
  };
  const storeLast = () => {
    const now = clock.monotonicMs();
    const leftMs = Math.max(0, Math.ceil((stoppedAt ?? now) + lastCopyMs - now));
    const outOfTime = AbortSignal.timeout(leftMs + lastAttemptMs);
    return retry(() => storeCopy(lease, options, outOfTime), {
      clock,
      untilMs: leftMs,
      waitMs: (attempt) => Math.min(leftMs / 4, 1_000 * 2 ** attempt, 30_000),
      canRetry: (error) =>
        error instanceof DossierError &&
        storeErrors.includes(error.code) &&
        answersAtRisk(lease, ledger) > 0,
      onRetry: (error) => listener.onError?.('snapshot', error),
    });
  };
  const timer = setInterval(() => {
    if (storing || lease.lost.aborted) return;
    storing = storeAnswers().finally(() => {
      storing = undefined;
    });
  }, options.everyMs);
  timer.unref();
  return {
    lost: lease.lost,
    check: lease.check,
    storedAt: () => lease.control().snapshot?.storedAt,
    async end(removesOld = false) {
      clearInterval(timer);
      // Cancel the current copy: the last one includes its data.
      stopping.abort(new Error('cancelled, because the final copy follows'));
      await storing;
      try {
        if (!(await storeLast())) {
          if (answersAtRisk(lease, ledger) === 0) return undefined;
          throw lease.lost.reason ?? new Error('another process holds its lease');
        }
        if (removesOld) {
          const others = await removeOthers(lease, options);
          await lease.change((control) => ({ ...control, others }));
        }
        await lease.release();
        return undefined;
      } catch (error) {
        lease.stop();
        const reason = messageOf(error);
        return new DossierError(
          error instanceof DossierError ? error.code : 'SNAPSHOT_UNSTORED',
          `the ledger could not be stored at ${showObjectAddress(at)}: ${reason}. ${riskText(lease, ledger)}`,
          { cause: error },
        );
      }
    },
  };
}

function riskText(lease: Lease, ledger: string) {
  let calls = 'the calls';
  try {
    calls = counted(answersAtRisk(lease, ledger), 'call');
  } catch {
    // The message then does not say how many.
  }
  return `The answers to ${calls} since the last snapshot are only in ${ledger}. If this disk is lost, they are lost`;
}

function answersAtRisk(lease: Lease, ledger: string) {
  const { snapshot } = lease.control();
  return lookAtTokens(ledger, snapshot?.lastAnswerId ?? 0)?.answersSince ?? 0;
}

async function bringToNewest(
  lease: Lease,
  { store, at, ledger, mustExist, clock, listener, signal }: KeeperOptions,
) {
  const { snapshot, mayLackRuns } = lease.control();
  const place = showObjectAddress(at);
  const local = readTokens(ledger);
  if (!snapshot) {
    if (local || !mustExist) return;
    throw new DossierError(
      'LEDGER_MISSING',
      `there is no ledger at ${ledger}, and no snapshot of it at ${place}`,
    );
  }
  const token = showObjectAddress({ ...at, key: snapshot.key });
  if (local?.token === token) return;
  if (local?.pending === token) return writeTokens(ledger, { token, pending: null });
  if (local?.token && !local.token.startsWith(place + copyMark)) {
    // Each ledger lacks the answers that the other has paid for.
    throw new DossierError(
      'SNAPSHOT_MISMATCH',
      `${ledger} was last stored as ${local.token}, but ${place} has a different ledger`,
    );
  }
  const startedAt = clock.monotonicMs();
  const ending = AbortSignal.any([signal, lease.lost]);
  const restored = await restoreLedger(store, at, snapshot, ledger, mayLackRuns, ending);
  listener.onRestored?.(snapshot, { ...restored, ms: clock.monotonicMs() - startedAt });
}

/** False if the lease is lost or the store has a foreign copy. True also without a ledger. */
async function storeCopy(
  lease: Lease,
  { store, at, ledger: given, clock, listener }: KeeperOptions,
  signal: AbortSignal,
) {
  const startedAt = clock.monotonicMs();
  const ledger = realLedgerPath(given);
  const known = readTokens(ledger);
  if (!known) return true;
  const storedAt = clock.wallMs();
  const stamp = new Date(storedAt).toISOString().replaceAll(/[-:.]/g, '');
  const key = `${at.key}${copyMark}${stamp}-${randomBytes(4).toString('hex')}`;
  const unremoved = await removeOthers(lease, { store, at });
  // Record the copy before its upload, so after a crash the next process removes it.
  if (!(await lease.change((control) => ({ ...control, others: [...unremoved, key] }))))
    return false;
  const base = lease.control().snapshot;
  const baseToken = base && showObjectAddress({ ...at, key: base.key });
  if (baseToken !== null && !isStoredAs(known, baseToken)) {
    lease.lose(
      new DossierError(
        'SNAPSHOT_UNSTORED',
        `another process has stored a different copy of the ledger at ${showObjectAddress(at)} (${baseToken}), so no more calls are made`,
      ),
    );
    return false;
  }
  await removeLeftovers(dirname(ledger));
  await using copy = claimTemporary(ledger);
  await using file = claimTemporary(`${ledger}.zst`);
  const packed = await packLedger({ ledger, copy: copy.path, packed: file.path });
  signal.throwIfAborted();
  const to = { ...at, key };
  const token = showObjectAddress(to);
  // After a crash the next process recognises the copy by this token.
  writeTokens(ledger, { token: baseToken, pending: token });
  const { size, answers, lastAnswerId, bytes } = packed;
  const options = { type: 'application/zstd', signal };
  await (await store.prepare(to, file.path, options)).commit();
  const snapshot = { key, size, answers, lastAnswerId, storedAt, host: hostname() };
  const isOurs = await lease.change(({ others: noted, ...control }) => ({
    ...control,
    snapshot,
    mayLackRuns: false,
    others: [...(base ? [base.key] : []), ...noted.filter((other) => other !== key)],
  }));
  if (!isOurs) {
    await store.remove(to).catch(() => {});
    return false;
  }
  try {
    writeTokens(ledger, { token, pending: null });
  } catch {
    // The pending token also identifies the copy.
  }
  listener.onStored?.(snapshot, { bytes, ms: clock.monotonicMs() - startedAt });
  return true;
}

async function removeOthers(lease: Lease, { store, at }: Pick<KeeperOptions, 'store' | 'at'>) {
  const { others } = lease.control();
  const removals = others.map(async (key) => {
    const copy = { ...at, key };
    // The credentials may not allow listing parts.
    await store.removeParts(copy).catch(() => {});
    return await store.remove(copy).catch(() => key);
  });
  return (await Promise.all(removals)).filter((key) => key !== undefined);
}

export async function readSnapshot(store: ObjectStore, at: ObjectAddress, ledger: string) {
  const { control, etag } = await readControl(store, at);
  const { snapshot, holder } = control;
  const local = lookAtTokens(ledger, snapshot?.lastAnswerId ?? 0);
  if (etag === undefined) await refuseForgotten(store, at, local);
  const address = snapshot && showObjectAddress({ ...at, key: snapshot.key });
  const isCurrent = address === null || isStoredAs(local, address);
  return {
    stored: snapshot && address !== null ? { ...snapshot, address } : null,
    holder,
    here: local ? (isCurrent ? ('current' as const) : ('other' as const)) : ('missing' as const),
    callsAtRisk: local && isCurrent ? local.answersSince : 0,
  };
}
