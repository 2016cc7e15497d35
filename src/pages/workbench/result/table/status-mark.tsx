import type { TableRow } from '../../../../workbench/api/rows.ts';
import { reasonName, statusNames } from '../../../parts/text/labels.ts';

type Marked = Omit<TableRow, 'cells'>;

/** How a row ended: a mark with words, and what stands out about it. */
export function StatusMark({ row }: { readonly row: Marked }) {
  const { status, reason, reasonText } = row;
  // A row that was not found has no other reason than that.
  const why = reason === null || reason === status ? undefined : lowerFirst(reasonName(reason));
  return (
    <span class="mark" {...(reasonText && { title: reasonText })}>
      <span class={`dot fill-${status}`} aria-hidden="true" />
      <span class="text">
        {statusNames[status]}
        {why && <span class="none">: {why}</span>}
      </span>
      <Flags row={row} />
    </span>
  );
}

export function Flags({ row }: { readonly row: Marked }) {
  return (
    <>
      {row.isMismatch && <span class="tag tag-failed">mismatch</span>}
      {row.isStale && <span class="tag tag-invalid">stale</span>}
      {row.isChanged && <span class="tag tag-changed">changed</span>}
    </>
  );
}

/** `Free mail → free mail`, `ABN checksum` stays. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
