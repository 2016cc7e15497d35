/**
 * `list-first` puts the input's own columns before the others, under their own names; `result-first`
 * leaves all in the order of the table, or of the columns that were chosen.
 */
export const columnOrders = ['list-first', 'result-first'] as const;
export type ColumnOrder = (typeof columnOrders)[number];
