import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import { openInput } from '../input/open-input.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { InputStamp } from './choose-run.ts';
import { type IngestOptions, ingest } from './ingest.ts';
import { type RunContext, readCounts } from './run-context.ts';

/** Begins a run by reading its input into a ledger: that of the job, or a draft to plan with. */
export async function startRun(
  ledger: Ledger,
  job: ResolvedJob,
  basis: { fingerprint: string; stamp: InputStamp },
  { clock, ...options }: IngestOptions & { clock: Clock },
): Promise<RunContext> {
  await using input = await openInput(job.input.path, job.input.options, options.signal);
  const run = ledger.runs.start({
    job: job.name,
    jobFingerprint: basis.fingerprint,
    inputStamp: basis.stamp.kind === 'file' ? basis.stamp.stamp : null,
    inputName: input.name,
    columns: input.columns,
    hasPeople: job.people !== undefined,
    startedAt: clock.wallMs(),
  });
  const context = {
    ledger,
    job,
    clock,
    run,
    counts: readCounts(ledger, run),
    askedKinds: new Set<IdentifierKind>(),
  };
  await ingest(context, input, options);
  return { ...context, run: ledger.runs.get(run.id) ?? run };
}
