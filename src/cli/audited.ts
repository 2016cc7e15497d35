import { DossierError, exitCodeOf } from '../core/errors.ts';
import { addToAudit } from '../engine/ledger/care/audit.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';

/** Runs `work` and records it in the ledger's audit, also if it fails. */
export async function audited<Result>(
  { name: job, ledger }: Pick<ResolvedJob, 'name' | 'ledger'>,
  command: string,
  work: () => Result | Promise<Result>,
  say: (sentence: string) => void,
): Promise<Result> {
  const note = (exitCode: number, counts: Record<string, number>) => {
    if (command.endsWith('--dry-run')) return;
    try {
      addToAudit(ledger, { at: Date.now(), command, job, counts, exitCode });
    } catch (error) {
      // The work is done, so a read-only ledger must not make it fail.
      say(`The audit log of ${ledger} has no record of this command: ${(error as Error).message}`);
    }
  };
  try {
    const result = await work();
    note(exitCodeAfter(result), countsOf(result));
    return result;
  } catch (error) {
    // Nothing is written into a damaged ledger.
    const isDamaged = error instanceof DossierError && error.code === 'LEDGER_DAMAGED';
    if (!isDamaged) note(exitCodeOf(error), {});
    throw error;
  }
}

interface CommandResult {
  readonly exitCode?: number;
  readonly exported?: { rows: object; people: number; unreached?: Error; damagedAnswers: number };
  readonly row?: { readonly status: string };
}

function exitCodeAfter(result: unknown): number {
  const { exitCode, exported, row } = Object(result) as CommandResult;
  if (exitCode !== undefined) return exitCode;
  if (exported?.unreached) return exitCodeOf(exported.unreached);
  const isPartial = exported ? exported.damagedAnswers > 0 : row && row.status !== 'matched';
  return isPartial ? 3 : 0;
}

function countsOf(result: unknown): Record<string, number> {
  const { exported, row } = Object(result) as CommandResult;
  if (row) return {};
  const facts: object = exported ? { ...exported.rows, people: exported.people } : Object(result);
  const counts = Object.entries(facts).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.length : value,
  ]);
  return Object.fromEntries(counts.filter(([, value]) => Number.isInteger(value)));
}
