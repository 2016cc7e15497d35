import type { z } from 'zod';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { SnapshotJson } from '../../overview/status/snapshot-json.ts';
import { formatDuration } from '../../runtime/duration.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { withTimeout } from '../../runtime/retry.ts';
import { counted } from '../terminal/counted.ts';
import { minuteOf } from '../terminal/minute-of.ts';

/** A command that only reads waits this long for the store. */
const patienceMs = 10_000;

/** The snapshot of a job; null where it has none. A store that does not answer is part of the result. */
export async function describeSnapshots(
  { ledger, ledgerCare: { snapshot } }: Pick<ResolvedJob, 'ledger' | 'ledgerCare'>,
  now = Date.now(),
): Promise<z.output<typeof SnapshotJson> | null> {
  if (!snapshot) return null;
  const { address } = snapshot;
  const unknown = {
    address,
    storedAt: null,
    ageSeconds: null,
    answers: null,
    object: null,
    bytes: null,
    holder: null,
    here: null,
    callsAtRisk: 0,
  };
  try {
    const { stored, holder, here, callsAtRisk } = await readState(address, ledger);
    return {
      ...unknown,
      ...(stored && {
        storedAt: new Date(stored.storedAt).toISOString(),
        ageSeconds: Math.max(0, Math.round((now - stored.storedAt) / 1_000)),
        answers: stored.answers,
        object: stored.address,
        bytes: stored.size,
      }),
      holder: holder && {
        host: holder.host,
        pid: holder.pid,
        job: holder.job,
        since: new Date(holder.startedAt).toISOString(),
      },
      here,
      callsAtRisk,
      trouble: null,
    };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const message = error instanceof Error ? error.message : String(error);
    const late = `${address}: no answer in ${formatDuration(patienceMs)}`;
    return { ...unknown, trouble: withoutSecrets(isLate ? late : message) };
  }
}

async function readState(address: string, ledger: string) {
  const { openJobStore } = await import('./open-job-store.ts');
  const { readSnapshot } = await import('../../snapshot/read-snapshot.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  return await withTimeout(readSnapshot(store, at, ledger), patienceMs);
}

/** The same for people, a sentence a line. */
export function snapshotLines(snapshot: z.output<typeof SnapshotJson> | null): string[] {
  if (!snapshot) return [];
  const { address, storedAt, ageSeconds, answers, holder, here, callsAtRisk, trouble } = snapshot;
  if (trouble !== null) return [`Snapshot: not known just now. ${trouble}`];
  const newest =
    storedAt === null || ageSeconds === null
      ? `No snapshot yet at ${address}`
      : `Snapshot, ${formatDuration(ageSeconds * 1_000)} old (${minuteOf(Date.parse(storedAt))}), with ${counted(answers ?? 0, 'answer', 'answers')}: ${address}`;
  const cost = callsAtRisk === 0 ? 'nothing' : counted(callsAtRisk, 'call', 'calls');
  const local = {
    current: `A lost disk would cost ${cost}.`,
    missing: 'There is no ledger on this machine; the next run restores the snapshot.',
    other:
      'The ledger on this machine is not that of the snapshot. The next run renames it and restores the snapshot.',
  };
  return [
    newest,
    ...(holder
      ? [
          `Leased to ${holder.job} on ${holder.host} (process ${holder.pid}) since ${minuteOf(Date.parse(holder.since))}.`,
        ]
      : []),
    ...(here ? [local[here]] : []),
  ];
}
