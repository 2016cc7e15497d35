import type { IndexState } from '../../../../workbench/api/rows.ts';

interface IndexNoteProps {
  readonly index: IndexState;
  /** The table is searched, narrowed or sorted. */
  readonly isNeeded: boolean;
}

/** Says what search, sort and facets do not cover yet, or why they do not work. */
export function IndexNote({ index, isNeeded }: IndexNoteProps) {
  const { isWhole, share, trouble } = index;
  if (trouble !== null) {
    return (
      <p class="index-note stands-out">
        Search, sorting and filters do not work: {trouble}. The table itself does.
      </p>
    );
  }
  if (isWhole || !isNeeded) return null;
  // Never 100% before it is whole.
  const percent = Math.min(99, Math.floor(share * 100));
  return (
    <p class="index-note" role="status">
      Search, sorting and filters cover {percent}% so far.
    </p>
  );
}
