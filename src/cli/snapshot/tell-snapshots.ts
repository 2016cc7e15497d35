import { formatDuration } from '../../runtime/duration.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { SnapshotListener } from '../../snapshot/snapshot-listener.ts';
import { bytesText } from '../terminal/bytes-text.ts';
import { minuteOf } from '../terminal/minute-of.ts';

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
    onRestored({ generation, answers, storedAt }, { bytes, ms }) {
      log.info({ generation, answers, bytes, ms: Math.round(ms) }, 'snapshot.restored');
      say(
        `Restored the ledger from snapshot ${generation} of ${minuteOf(storedAt)} (${bytesText(bytes)}).`,
      );
    },
    onStored({ generation, answers, size }, { bytes, ms }) {
      log.info({ generation, answers, bytes, stored: size, ms: Math.round(ms) }, 'snapshot.stored');
      // A platform gives a process so much time to end, which has to be enough for this.
      if (isStopping())
        say(`Stored the ledger as snapshot ${generation} in ${formatDuration(ms)}.`);
    },
    onAside(aside) {
      log.warn({ address: aside }, 'snapshot.put_aside');
      say(
        `${aside} holds answers that are not in the snapshot that counts; \`dossier ledger merge\` takes them over.`,
      );
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
