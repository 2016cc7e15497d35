/** A published run, as far as it tells what it is compared with. */
export interface ListedRun {
  readonly id: number;
  /** Absolute path of the list that it has read, or `-`. */
  readonly inputPath: string;
}

/**
 * The runs that a run is compared with, of the published ones of its job, newest first: those that have read
 * the same list. A run over another list, say the mended rejects, says nothing about the rows that it
 * leaves out. Where no run has read the list, all of them: lists with a date in their names follow each other.
 */
export function comparableWith<Published extends ListedRun>(
  { id, inputPath }: ListedRun,
  published: readonly Published[],
): Published[] {
  const earlier = published.filter((run) => run.id < id);
  const ofSameList = earlier.filter((run) => run.inputPath === inputPath);
  return ofSameList.length > 0 ? ofSameList : earlier;
}
