export type InputStamp =
  | { readonly kind: 'file'; readonly stamp: string }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'gone' };

interface RunBasis {
  readonly jobFingerprint: string;
  readonly input: InputStamp;
}

interface EarlierRun {
  readonly state: string;
  readonly jobFingerprint: string;
  readonly inputStamp: string | null;
}

export interface ListContent {
  readonly jobFingerprint: string;
  readonly inputSha256: string | null;
  readonly columns: readonly string[];
}

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

/** Without this limit, a job that is stopped every night would never refresh its answers. */
const longestInheritanceMs = 7 * 24 * 3_600_000;

/** Answers since this time count as paid for by the run, even those of unfinished runs before. */
export function findPaidSince(
  { startedAt }: { readonly startedAt: number },
  unfinishedSince: number | undefined,
): number {
  const inherited = Math.max(unfinishedSince ?? startedAt, startedAt - longestInheritanceMs);
  return Math.min(startedAt, inherited);
}

export function isResumable(run: EarlierRun, { jobFingerprint, input }: RunBasis): boolean {
  if (run.state !== 'open' || run.jobFingerprint !== jobFingerprint) return false;
  switch (input.kind) {
    case 'file':
      return run.inputStamp === input.stamp;
    case 'gone':
      return run.inputStamp !== null;
    case 'pipe':
      // A pipe must be read first; see `hasReadTheSame`.
      return false;
  }
}
