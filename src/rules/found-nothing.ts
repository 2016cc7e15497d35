/** Fewer misses may be chance. */
const enoughMisses = 10;

/** Whether a service that answers knows none of many rows: then the job is wrong rather than the rows. */
export function foundNothing(rows: { readonly matched: number; readonly not_found: number }) {
  return rows.matched === 0 && rows.not_found >= enoughMisses;
}
