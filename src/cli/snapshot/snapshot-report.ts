import type { z } from 'zod';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { SnapshotNote } from '../../ledger/care/snapshot/snapshot-note.ts';
import type { SnapshotJson } from '../../overview/status/snapshot-json.ts';
import { formatDuration } from '../../runtime/duration.ts';
import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import { counted } from '../terminal/counted.ts';
import { minuteOf } from '../terminal/minute-of.ts';

/** A store that does not answer by then is told as away: a look at a ledger waits for nobody. */
const patienceMs = 10_000;

/** What there is to say of the snapshots of a job; null where it has none. A store that is away is said, too. */
export async function describeSnapshots(
  { ledger, ledgerCare }: Pick<ResolvedJob, 'ledger' | 'ledgerCare'>,
  now = Date.now(),
): Promise<z.output<typeof SnapshotJson> | null> {
  const { snapshot } = ledgerCare;
  if (!snapshot) return null;
  const { readLocalNote } = await import('../../snapshot/read-state.ts');
  const note = readLocalNote(ledger);
  const local = {
    address: snapshot.address,
    localGeneration: note?.generation ?? null,
    callsAtRisk: note?.answersSince ?? 0,
  };
  const nothing = { generation: null, storedAt: null, ageSeconds: null, answers: null };
  const unknown = { object: null, bytes: null, previous: null, holder: null, asides: [] };
  try {
    const state = await readState(snapshot.address, note);
    const { stored, holder } = state;
    return {
      ...local,
      ...nothing,
      ...unknown,
      ...(stored && {
        generation: stored.generation,
        storedAt: new Date(stored.storedAt).toISOString(),
        ageSeconds: Math.max(0, Math.round((now - stored.storedAt) / 1_000)),
        answers: stored.answers,
        object: stored.address,
        bytes: stored.size,
      }),
      previous: state.previous ?? null,
      holder: holder ? { ...pick(holder), since: new Date(holder.startedAt).toISOString() } : null,
      asides: [...state.asides],
      trouble: null,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...local, ...nothing, ...unknown, trouble: withoutSecrets(message) };
  }
}

function pick({ host, pid, job }: { host: string; pid: number; job: string }) {
  return { host, pid, job };
}

async function readState(address: string, note: SnapshotNote | undefined) {
  const { openJobStore } = await import('./open-job-store.ts');
  const { readSnapshots } = await import('../../snapshot/read-state.ts');
  const { store, at } = await openJobStore(address);
  await using _store = store;
  const tooLate = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`${address}: no answer in ${formatDuration(patienceMs)}`)),
      patienceMs,
    ).unref();
  });
  return await Promise.race([readSnapshots(store, at, note), tooLate]);
}

/** The same for people, a sentence a line. */
export function snapshotLines(snapshot: z.output<typeof SnapshotJson> | null): string[] {
  if (!snapshot) return [];
  const { address, generation, storedAt, ageSeconds, answers, holder, trouble } = snapshot;
  const { callsAtRisk, localGeneration, asides } = snapshot;
  if (trouble !== null)
    return [`Snapshot: not known just now. ${trouble}`, ...riskLines(callsAtRisk)];
  const newest =
    generation === null || storedAt === null || ageSeconds === null
      ? `No snapshot yet at ${address}`
      : `Snapshot ${generation}, ${formatDuration(ageSeconds * 1_000)} old (${minuteOf(Date.parse(storedAt))}), with ${counted(answers ?? 0, 'answer', 'answers')}: ${address}`;
  const isBehind = generation !== null && (localGeneration ?? 0) < generation;
  return [
    newest,
    ...(holder
      ? [
          `Leased to ${holder.job} on ${holder.host} (process ${holder.pid}) since ${minuteOf(Date.parse(holder.since))}.`,
        ]
      : []),
    ...(isBehind
      ? [
          `The ledger of this machine is ${localGeneration === null ? 'not there' : `of snapshot ${localGeneration}`}; the next run restores the newest, and so does \`dossier ledger sync <job>\`.`,
        ]
      : riskLines(callsAtRisk)),
    ...asides.map(
      (aside) => `Put aside: ${aside}; \`dossier ledger merge\` takes over what is missing here.`,
    ),
  ];
}

function riskLines(calls: number): string[] {
  const cost = calls === 0 ? 'nothing' : counted(calls, 'call', 'calls');
  return [`A lost disk would cost ${cost}.`];
}
