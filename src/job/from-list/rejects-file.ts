/** The columns that rejects.* has behind those of the list. */
const reasonColumns = ['status', 'reason', 'message'];
const rowColumns = ['row_number', 'row', 'row_key'];
const otherColumns = ['stale', 'changed_at'];

/** Whether a list is a rejects file of an earlier run, which people mend and run again. */
export function isRejectsFile(header: readonly string[]): boolean {
  return (
    reasonColumns.every((name) => header.includes(name)) &&
    rowColumns.some((name) => header.includes(name))
  );
}

/** Whether a column of a rejects file is about the rejection, and not of the list itself. */
export function isReasonColumn(column: string): boolean {
  return [...reasonColumns, ...rowColumns, ...otherColumns].includes(column.replace(/_\d+$/, ''));
}
