import { hostname } from 'node:os';
import { exitCodeOf, reasonOf } from '../../errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { StartedBy, Starts } from './starts.ts';

/** What a process tells of itself when it starts a job. */
export interface StartFacts {
  readonly version: string;
  readonly startedBy: StartedBy;
  readonly clock: Clock;
}

/** Notes that this process has taken a job, and gives the id of the start. */
export function noteStart(
  starts: Starts,
  job: string,
  { version, startedBy, clock }: StartFacts,
): number {
  const startedAt = clock.wallMs();
  return starts.begin({ job, host: hostname(), pid: process.pid, version, startedBy, startedAt });
}

/** Notes which error ended a start. The ledger may be what ended it, so it is tried once. */
export function noteFailure(
  ledger: { readonly starts: Starts; together<Result>(work: () => Result): Result },
  startId: number,
  { clock }: StartFacts,
  error: unknown,
): void {
  const end = { endedAt: clock.wallMs(), exitCode: exitCodeOf(error), reason: reasonOf(error) };
  try {
    ledger.together(() => ledger.starts.end(startId, end));
  } catch {
    // The start has no end in the ledger, as if it had been killed; the error itself is told.
  }
}
