/** How a run ended, as far as it is known. What is not known is null. */
export interface EndedRun {
  readonly job: string;
  readonly run: string | null;
  readonly exitCode: number;
  /** Code of the error that ended it, or that its result is held; null where all is well. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly remedy: string | null;
  readonly rows: Readonly<Record<string, number>> | null;
  readonly people: number | null;
  /** What differs from the run before, by what happened. */
  readonly changes: {
    readonly since: string | null;
    readonly [op: string]: number | string | null;
  } | null;
  /** The same in words: `5 rows added, 1 company found`; empty where nothing does. */
  readonly changed: string;
  /** Expectations that the result does not meet. */
  readonly held: readonly UnmetExpectation[] | null;
  /** Whether the run has finished. */
  readonly complete: boolean;
  readonly calls: Readonly<Record<string, number>> | null;
  /** Requests of this start that may be charged. */
  readonly requests: number;
  /** What these cost; null where the job tells no price. */
  readonly money: { readonly currency: string; readonly amount: number } | null;
  readonly folder: string | null;
  /** Whether the bundled sample data answered, and no real service. */
  readonly sampleData: boolean | null;
}

interface UnmetExpectation {
  /** `matchRate` */
  readonly expectation: string;
  /** `>= 60%` */
  readonly expected: string;
  /** `12%` */
  readonly found: string;
  readonly message: string;
}

export type RunEvent = 'finished' | 'failed' | 'expectation';

const finishedCodes = [0, 3];
const expectationCode = 4;

/** 0 and 3 have finished: the files are whole. */
export function eventOf(exitCode: number): RunEvent {
  if (finishedCodes.includes(exitCode)) return 'finished';
  return exitCode === expectationCode ? 'expectation' : 'failed';
}

/** Another process works on the job, and its end is the one that counts. */
export function isHeldByOther({ reason }: Pick<EndedRun, 'reason'>): boolean {
  return reason === 'JOB_BUSY' || reason === 'RUN_TAKEN' || reason === 'LEASE_HELD';
}
