import { type Run, runName } from '../../ledger/runs/runs.ts';
import type { JobRuns } from '../../queue/job/job-runs.ts';
import { schemaVersion } from '../../records/columns/columns.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import { savedCalls } from '../../rules/saved-calls.ts';
import { totalSpend } from '../../rules/total-spend.ts';
import { moneyJson } from '../../runtime/budget/money.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { ManifestFacts } from '../../sinks/manifest.ts';

type Ledger = JobRuns['ledger'];

/** What the manifest says of a run beside its records. */
export function manifestFacts(
  ledger: Ledger,
  run: Run,
  {
    version,
    form,
    endedAt,
    base,
  }: Pick<ManifestFacts, 'version' | 'form'> & { endedAt: number | null; base: Run | undefined },
): ManifestFacts {
  const { calls } = ledger.counts(run.id);
  const spent = ledger.spend.ofRun(run.id);
  const { requests, money } = totalSpend(spent);
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    sampleData: run.service === sampleData,
    version,
    schemaVersion,
    form,
    complete: endedAt !== null,
    held: run.held && [...run.held],
    run: {
      id: runName(run),
      startedAt: iso(run.startedAt),
      endedAt: endedAt === null ? null : iso(endedAt),
      changesSince: base ? runName(base) : null,
    },
    job: { name: run.job, fingerprint: run.jobFingerprint, list: run.list },
    input: {
      name: run.inputName,
      fingerprint: run.inputSha256 ?? '',
      corrections: run.corrections?.applied ?? 0,
    },
    calls: { made: answeredCalls(calls), failed: calls.failed, saved: savedCalls(calls) },
    ...(spent.length > 0 && { spend: { requests, money: money.map(moneyJson) } }),
  };
}
