import { formatDuration } from '../../core/values/duration.ts';
import { counted, formatMinute } from '../../core/values/format.ts';
import { withoutSecrets } from '../../core/values/known-secrets.ts';
import type { SnapshotJson } from '../../facts/status.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { ObjectAddress } from '../../platform/objects/object-address.ts';
import type { ObjectStore } from '../../platform/objects/open-object-store.ts';
import { withTimeout } from '../../platform/retry.ts';
import { iso } from '../../run/run-facts.ts';
import { openJobStore } from './read-ledger.ts';

const patienceMs = 10_000;

export async function describeSnapshots(job: ResolvedJob): Promise<SnapshotJson | null> {
  const { snapshot } = job.ledgerCare;
  if (!snapshot) return null;
  const { address } = snapshot;
  try {
    return await readSnapshotFacts(job.ledger, address);
  } catch (error) {
    const { name, message } = error as Error;
    const late = `${address}: no answer in ${formatDuration(patienceMs)}`;
    const trouble = withoutSecrets(name === 'TimeoutError' ? late : message);
    return { ...unknown, address, trouble };
  }
}

const unknown = {
  storedAt: null,
  answers: null,
  object: null,
  bytes: null,
  holder: null,
  here: null,
  callsAtRisk: 0,
  trouble: null,
};

export async function readSnapshotFacts(
  ledger: string,
  address: string,
  tryStore: (store: ObjectStore, at: ObjectAddress) => Promise<void> = async () => {},
): Promise<SnapshotJson> {
  const { readSnapshot } = await import('../../integrations/snapshot/open-keeper.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const { stored, holder, here, callsAtRisk } = await withTimeout(
    readSnapshot(store, at, ledger),
    patienceMs,
  );
  await tryStore(store, at);
  return {
    ...unknown,
    address,
    ...(stored && {
      storedAt: iso(stored.storedAt),
      answers: stored.answers,
      object: stored.address,
      bytes: stored.size,
    }),
    holder: holder && {
      host: holder.host,
      pid: holder.pid,
      job: holder.job,
      since: iso(holder.startedAt),
    },
    here,
    callsAtRisk,
  };
}

const localStates = {
  missing: 'There is no ledger on this machine; the next run restores the snapshot.',
  other: 'This machine has a different ledger. The next run renames it and restores the snapshot.',
};

export function snapshotLines(snapshot: SnapshotJson | null): string[] {
  if (!snapshot) return [];
  const { address, storedAt, answers, holder, here, callsAtRisk, trouble } = snapshot;
  if (trouble !== null) return [`Snapshot unknown. ${trouble}`];
  const newest =
    storedAt === null
      ? `No snapshot yet at ${address}`
      : `Snapshot of ${formatMinute(storedAt)}, ${counted(answers ?? 0, 'answer')}: ${address}`;
  const user = holder && `In use by ${holder.job} on ${holder.host}, process ${holder.pid}.`;
  const risk = callsAtRisk > 0 && `${counted(callsAtRisk, 'answer')} not in the snapshot yet.`;
  const local = here === null || here === 'current' ? risk : localStates[here];
  return [newest, user, local].filter((line) => typeof line === 'string');
}
