import { DossierError, messageOf, withSentence } from '../../core/errors.ts';
import { formatDuration } from '../../core/values/duration.ts';
import { formatBytes, formatMinute } from '../../core/values/format.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import { asSentence } from '../../core/values/printable.ts';
import { audited, type Command } from '../../engine/ledger/care/audit.ts';
import { copyKeptDays, upgradeLedger } from '../../engine/ledger/care/upgrade-ledger.ts';
import type { SnapshotListener } from '../../integrations/snapshot/lease.ts';
import type { LedgerKeeper } from '../../integrations/snapshot/open-keeper.ts';
import type { JobLedger, ResolvedJob } from '../../job/resolved-job.ts';
import { systemClock } from '../../platform/clock.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceClient } from '../../run/run-parts.ts';
import { listenForSignals } from '../run/interruption.ts';
import { clearLine, type Terminal } from '../terminal/terminal.ts';
import { nameJob } from '../terminal/text.ts';
import { openJobStore } from './read-ledger.ts';

interface LeasingParts {
  readonly log: Log;
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
  readonly command: Command;
  readonly leaseHolder?: string;
  /** Set by `forget`, because older copies contain what was forgotten. */
  readonly removesOldCopies?: boolean;
}

export interface LeasedLedger extends Pick<LedgerKeeper, 'check' | 'storedAt'> {
  /** Aborts when the command is stopped or the lease is lost. */
  readonly signal: AbortSignal;
}

/** Stores the ledger even if the work failed. `snapshotError` says why it was not stored. */
export async function whileLeased<Result>(
  job: ResolvedJob,
  { log, say, signal, command, leaseHolder = job.name, removesOldCopies }: LeasingParts,
  work: (leased: LeasedLedger | undefined) => Result | Promise<Result>,
): Promise<{ readonly result: Result; readonly snapshotError: DossierError | undefined }> {
  const { ledger, ledgerCare } = job;
  const { snapshot, mustExist } = ledgerCare;
  await upgradeFirst(job, command, say);
  // Audited before the last copy is stored, so the copy includes the entry.
  const auditedWork = (leased: LeasedLedger | undefined) =>
    audited(job, command, () => work(leased), say);
  if (!snapshot) return { result: await auditedWork(undefined), snapshotError: undefined };
  const { openKeeper } = await import('../../integrations/snapshot/open-keeper.ts');
  const { lastSnapshotMs, leaseLengthMs } = await import('../../integrations/snapshot/lease.ts');
  const { store, at } = await openJobStore(snapshot.address);
  const keeper = await openKeeper({
    store,
    at,
    ledger,
    mustExist,
    signal,
    job: leaseHolder,
    everyMs: snapshot.everyMs,
    leaseMs: leaseLengthMs(process.env),
    lastCopyMs: lastSnapshotMs(process.env),
    clock: systemClock,
    listener: reportSnapshots(log, say, snapshot.address, signal),
  });
  const end = async () => {
    const error = await keeper.end(removesOldCopies);
    await store[Symbol.asyncDispose]();
    return error && new DossierError(error.code, nameJob(error.message), { cause: error });
  };
  let result: Result;
  try {
    result = await auditedWork({ ...keeper, signal: AbortSignal.any([signal, keeper.lost]) });
  } catch (error) {
    const snapshotError = await end();
    if (!snapshotError || !(error instanceof DossierError)) throw error;
    throw withSentence(error, asSentence(snapshotError.message));
  }
  return { result, snapshotError: await end() };
}

async function upgradeFirst(
  { ledger }: JobLedger,
  command: Command,
  say: (sentence: string) => void,
) {
  if (String(command).endsWith('--dry-run')) return;
  const copy = await upgradeLedger(ledger);
  if (copy === undefined) return;
  say(
    `Upgraded the ledger. A copy of it as it was is in ${fromHere(copy)} for ${copyKeptDays} days.`,
  );
}

/** Checks the lease before each call: a paused process may have lost it. */
export function guardCalls(leased: LeasedLedger | undefined, client: ServiceClient): ServiceClient {
  if (!leased) return client;
  return {
    ...client,
    send(...call) {
      leased.check();
      return client.send(...call);
    },
  };
}

/** If the last snapshot cannot be stored, the command prints its result, then fails. */
export async function withLeasedLedger<Result>(
  job: ResolvedJob,
  command: string,
  { note: say, fail }: Pick<Terminal, 'note' | 'fail'>,
  work: (leased: LeasedLedger | undefined) => Result | Promise<Result>,
  options: Partial<Pick<LeasingParts, 'signal' | 'removesOldCopies'>> = {},
): Promise<Result> {
  if (!job.ledgerCare.snapshot) {
    await upgradeFirst(job, command, say);
    return await audited(job, command, () => work(undefined), say);
  }
  const { createLog } = await import('../../platform/log.ts');
  const log = createLog({ format: 'text', level: 'warn', beforeLine: clearLine });
  const parts = {
    log,
    say,
    command,
    leaseHolder: command,
    ...options,
    signal: options.signal ?? listenForSignals().signal,
  };
  const { result, snapshotError } = await whileLeased(job, parts, work);
  fail(snapshotError);
  return result;
}

function reportSnapshots(
  log: Log,
  say: (sentence: string) => void,
  address: string,
  signal: AbortSignal,
): SnapshotListener {
  return {
    onWatch({ host, pid, job, lengthMs }, atMostMs) {
      log.info({ host, pid, job, lengthMs }, 'lease.watched');
      say(
        `${address} is in use by ${job} on ${host}, process ${pid}. Waiting up to ${formatDuration(atMostMs)} to see whether that process is alive.`,
      );
    },
    onTaken(lengthMs) {
      log.info({ snapshot: address, lengthMs }, 'lease.taken');
    },
    onRestored({ answers, storedAt }, { bytes, ms, replaced }) {
      log.info({ answers, bytes, ms: Math.round(ms) }, 'snapshot.restored');
      say(`Restored the snapshot of ${formatMinute(storedAt)} (${formatBytes(bytes)}).`);
      if (replaced === undefined) return;
      log.warn({ ledger: replaced }, 'ledger.replaced');
      const merge = nameJob(`\`dossier ledger merge ${replaced} <job>\``);
      say(`Renamed the local ledger to ${replaced}. To add its answers to the snapshot: ${merge}.`);
    },
    onStored({ answers, size }, { bytes, ms }) {
      log.info({ answers, bytes, stored: size, ms: Math.round(ms) }, 'snapshot.stored');
      // Shown after a stop, because the platform's grace period must be longer than this time.
      if (signal.aborted) say(`Storing the ledger took ${formatDuration(ms)}.`);
    },
    onError(what, error) {
      const reason = withoutSecrets(messageOf(error));
      log.warn({ reason }, what === 'lease' ? 'lease.unrenewed' : 'snapshot.delayed');
    },
    onLost({ message }) {
      log.error({ reason: message }, 'lease.lost');
    },
  };
}
