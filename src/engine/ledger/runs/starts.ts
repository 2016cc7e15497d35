import { hostname } from 'node:os';
import { DossierError, type ErrorCode, exitCodeOf, reasonOf } from '../../../core/errors.ts';
import { dayMs } from '../../../core/values/duration.ts';
import { formatMinute } from '../../../core/values/format.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Ledger } from '../open-ledger.ts';
import type { Statements } from '../statements.ts';

/** `script` includes schedulers. */
type StartedBy = 'page' | 'terminal' | 'script';

interface NewStart {
  readonly job: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedBy: StartedBy;
  readonly startedAt: number;
  readonly reason: string | null;
}

export interface Start extends NewStart {
  /** Null if the start ended before it had a run. */
  readonly runId: number | null;
  /** Null while running, or if the process was killed. */
  readonly endedAt: number | null;
  readonly exitCode: number | null;
}

interface CallingStart {
  readonly runId: number;
  readonly callsBefore: number;
  /** Starts that died before storing an answer. Reset by a start that finds no calls in flight. */
  readonly deadStarts: number;
}

const clockAhead = 'CLOCK_AHEAD' satisfies ErrorCode;

/** Enough for half a year of nightly runs. */
const mostStarts = 200;

export function startsIn({ change, get, all, value }: Statements) {
  type OfStart = { id: number };
  const begin = change(`
    insert into start (job, host, pid, version, started_by, started_at, reason)
    values (:job, :host, :pid, :version, :startedBy, :startedAt, :reason)`);
  const forget = change(`
    delete from start where job = :job and id <= (
      select id from start where job = :job order by id desc limit 1 offset ${mostStarts})`);
  const list = all<Start, [job: string, most: number]>(`
    select job, run_id as runId, host, pid, version, started_by as startedBy,
      started_at as startedAt, ended_at as endedAt, exit_code as exitCode, reason
    from start where job = ? order by id desc limit ?`);
  return {
    begin(start: NewStart) {
      const { lastInsertRowid } = begin(start);
      forget({ job: start.job });
      return Number(lastInsertRowid);
    },
    /** The time of the last start of any job. A start refused because of the clock says nothing about it. */
    newestAt: value<number | undefined, []>(`
      select started_at from start where reason is not '${clockAhead}' order by id desc limit 1`),
    putRun: change<[OfStart & { runId: number }]>(
      `update start set run_id = :runId where id = :id`,
    ),
    putCalling: change<[OfStart & CallingStart]>(`
      update start
      set run_id = :runId, calls_before = :callsBefore, dead_starts = :deadStarts where id = :id`),
    end: change<[OfStart & { endedAt: number; exitCode: number; reason: string | null }]>(`
      update start set ended_at = :endedAt, exit_code = :exitCode, reason = :reason
      where id = :id`),
    lastCalling: get<CallingStart, [job: string]>(`
      select run_id as runId, calls_before as callsBefore, dead_starts as deadStarts
      from start where job = ? and calls_before is not null order by id desc limit 1`),
    list: (job: string, most = mostStarts) => list(job, most),
    ofRun: ({ id, job }: OfStart & { job: string }) =>
      list(job, mostStarts).find(({ runId }) => runId === id),
  };
}

export interface StartFacts {
  readonly version: string;
  readonly startedBy: StartedBy;
  readonly clock: Clock;
  readonly acceptsClock?: boolean | undefined;
}

/** If the last start is later than now, one of the two times is wrong. */
export function findClockAhead({ starts }: Ledger, now: number): DossierError | undefined {
  const lastAt = starts.newestAt() ?? 0;
  if (lastAt - now <= dayMs) return undefined;
  const message = `the last start on this ledger was at ${formatMinute(lastAt)}, but the clock of this machine shows ${formatMinute(now)}`;
  return new DossierError(clockAhead, message);
}

/** Call inside a transaction. A start with a `refusal` must stop. */
export function noteStart(ledger: Ledger, job: string, start: StartFacts) {
  const { version, startedBy, clock, acceptsClock } = start;
  const startedAt = clock.wallMs();
  const refusal = acceptsClock ? undefined : findClockAhead(ledger, startedAt);
  if (!refusal) ledger.clock.begin(startedAt, ledger.starts.newestAt());
  const here = { host: hostname(), pid: process.pid, version, startedBy, startedAt };
  const startId = ledger.starts.begin({ job, ...here, reason: refusal?.code ?? null });
  return { startId, refusal };
}

/** Tries once, because the ledger itself may be the cause of the failure. */
export function noteFailure(
  { inTransaction, starts }: Ledger,
  id: number,
  { clock }: StartFacts,
  error: unknown,
): void {
  const endedAt = clock.wallMs();
  try {
    inTransaction(() =>
      starts.end({ id, endedAt, exitCode: exitCodeOf(error), reason: reasonOf(error) }),
    );
  } catch {
    // The caller still reports the error.
  }
}
