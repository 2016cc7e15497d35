interface EarlierRun {
  readonly state: string;
  readonly jobFingerprint: string;
}

export interface ListContent {
  readonly jobFingerprint: string;
  readonly inputSha256: string | null;
  readonly columns: readonly string[];
}

export function hasReadTheSame(run: ListContent & EarlierRun, list: ListContent): boolean {
  return (
    run.state === 'open' &&
    run.jobFingerprint === list.jobFingerprint &&
    run.inputSha256 === list.inputSha256 &&
    JSON.stringify(run.columns) === JSON.stringify(list.columns)
  );
}

/** Without this limit, a job that is stopped every night would never refresh its answers. */
const longestInheritanceMs = 7 * 24 * 3_600_000;

/** Answers from here on count as paid by this run, also those of a run that was cut off. */
export function findPaidSince(startedAt: number, unfinishedSince: number | undefined): number {
  const inherited = Math.max(unfinishedSince ?? startedAt, startedAt - longestInheritanceMs);
  return Math.min(startedAt, inherited);
}

/** Only for a list that cannot be read. Otherwise its content decides; see `hasReadTheSame`. */
export function isResumableWithoutList(
  run: EarlierRun & { readonly inputPath: string; readonly inputStamp: string | null },
  { jobFingerprint, inputPath }: Pick<typeof run, 'jobFingerprint' | 'inputPath'>,
): boolean {
  const isSame = run.jobFingerprint === jobFingerprint && run.inputPath === inputPath;
  return run.state === 'open' && isSame && run.inputStamp !== null;
}
