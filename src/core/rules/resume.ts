/** Tells one list from another. A pipe has no stamp, and a file that is gone has none any more. */
export type InputStamp =
  | { readonly kind: 'file'; readonly stamp: string }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'gone' };

/** What a job asks now. */
export interface RunBasis {
  readonly jobFingerprint: string;
  readonly input: InputStamp;
}

/** What an earlier run of the job has asked. */
export interface EarlierRun {
  readonly state: string;
  readonly jobFingerprint: string;
  /** Null where the list was piped in. */
  readonly inputStamp: string | null;
}

/** What a list holds, whatever its name and time are. */
export interface ListContent {
  readonly jobFingerprint: string;
  readonly inputSha256: string | null;
  readonly columns: readonly string[];
}

/** Whether an unfinished run has read the same list for the same job, so that it can be resumed. */
export function hasReadTheSame(
  run: ListContent & Pick<EarlierRun, 'state'>,
  list: ListContent,
): boolean {
  return (
    run.state === 'open' &&
    run.jobFingerprint === list.jobFingerprint &&
    run.inputSha256 === list.inputSha256 &&
    JSON.stringify(run.columns) === JSON.stringify(list.columns)
  );
}

/**
 * A week. A job that is stopped every night would otherwise never fetch anything anew: each of its runs
 * would take over the answers of the one before.
 */
const longestInheritanceMs = 7 * 24 * 3_600_000;

/**
 * The time from which answers are a run's own, whatever its job says of reuse. Answers of the unfinished
 * runs that it replaces are its own, too, unless they came long before it.
 */
export function ownAnswersSince(
  { startedAt }: { readonly startedAt: number },
  unfinishedSince: number | undefined,
): number {
  const inherited = Math.max(unfinishedSince ?? startedAt, startedAt - longestInheritanceMs);
  return Math.min(startedAt, inherited);
}

/**
 * Whether a run can be resumed: its list is read, it has not finished, and the job asks the same of the
 * same list. Then its snapshot is used, and nothing is read again.
 */
export function isResumable(run: EarlierRun, { jobFingerprint, input }: RunBasis): boolean {
  if (run.state !== 'open' || run.jobFingerprint !== jobFingerprint) return false;
  switch (input.kind) {
    case 'file':
      return run.inputStamp === input.stamp;
    case 'gone':
      return run.inputStamp !== null;
    case 'pipe':
      // What is piped in has to be read to see whether it is the same.
      return false;
  }
}
