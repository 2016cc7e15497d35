import { formatDuration } from '../../runtime/duration.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { SnapshotListener } from '../../snapshot/open-keeper.ts';
import { bytesText } from '../terminal/bytes-text.ts';
import { minuteOf } from '../terminal/minute-of.ts';
import { nameJob } from '../terminal/name-job.ts';

/** Tells what becomes of the lease and the snapshots of a ledger: as events, and to people what they wait for. */
export function tellSnapshots(
  log: Log,
  say: (sentence: string) => void,
  address: string,
  isStopping: () => boolean = () => false,
): SnapshotListener {
  return {
    onWatch({ host, pid, job, lengthMs }, atMostMs) {
      log.info({ host, pid, job, lengthMs }, 'lease.watched');
      say(
        `${address} is leased to ${job} on ${host} (process ${pid}). Watching for up to ${formatDuration(atMostMs)} whether that is alive.`,
      );
    },
    onTaken(lengthMs) {
      log.info({ snapshot: address, lengthMs }, 'lease.taken');
    },
    onRestored({ answers, storedAt }, { bytes, ms, replaced }) {
      log.info({ answers, bytes, ms: Math.round(ms) }, 'snapshot.restored');
      say(`Restored the ledger from the snapshot of ${minuteOf(storedAt)} (${bytesText(bytes)}).`);
      if (replaced === undefined) return;
      log.warn({ ledger: replaced }, 'ledger.replaced');
      const what = 'The ledger that was here is not that of the snapshot. It is now';
      say(
        nameJob(
          `${what} ${replaced}; \`dossier ledger merge ${replaced} <job>\` takes in its answers.`,
        ),
      );
    },
    onStored({ answers, size }, { bytes, ms }) {
      log.info({ answers, bytes, stored: size, ms: Math.round(ms) }, 'snapshot.stored');
      // A platform gives a process so much time to end, which has to be enough for this.
      if (isStopping()) say(`Stored the ledger in ${formatDuration(ms)}.`);
    },
    onTrouble(what, error) {
      const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
      log.warn({ reason }, what === 'lease' ? 'lease.unrenewed' : 'snapshot.delayed');
    },
    onLost({ message }) {
      log.error({ reason: message }, 'lease.lost');
    },
  };
}
