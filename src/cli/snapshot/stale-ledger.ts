import type { ResolvedJob } from '../../job/resolved-job.ts';
import { counted } from '../terminal/counted.ts';
import { nameJob } from '../terminal/name-job.ts';

/** Says of a plan that its price does not know the answers of a newer snapshot. */
export async function staleLedgerLines(job: ResolvedJob): Promise<string[]> {
  if (!job.ledgerCare.snapshot) return [];
  const { describeSnapshots } = await import('./snapshot-report.ts');
  const snapshot = await describeSnapshots(job);
  if (!snapshot || snapshot.generation === null) return [];
  const { generation, localGeneration, answers } = snapshot;
  if ((localGeneration ?? 0) >= generation) return [];
  return [
    nameJob(
      `Snapshot ${generation} has ${counted(answers ?? 0, 'answer', 'answers')}, which this plan does not know: \`dossier ledger sync <job>\` brings them here, and a run restores them before its first call.`,
    ),
  ];
}
