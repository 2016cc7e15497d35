import { reasonName, statusNames } from '../../words/labels.ts';
import type { TableRow } from '../../workbench/api/answers.ts';

type Marked = Omit<TableRow, 'cells'>;

export function StatusMark(row: Marked) {
  const { status, reason, reasonText } = row;
  // For `not_found`, reason and status are the same.
  const why = reason === null || reason === status ? undefined : reasonName(reason);
  return (
    <span class="mark" title={reasonText || undefined}>
      <span class={`dot ${status}`} aria-hidden="true" />
      <span class="text">
        {statusNames[status]}
        {why && <span class="muted">: {why}</span>}
      </span>
      <Flags {...row} />
    </span>
  );
}

export function Flags({ match, isStale, isChanged }: Marked) {
  return (
    <>
      {match === 'mismatch' && <span class="tag failed">mismatch</span>}
      {isStale && <span class="tag invalid">stale</span>}
      {isChanged && <span class="tag accent">changed</span>}
    </>
  );
}
