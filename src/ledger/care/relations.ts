/** A column that names a line of another table. Null names none. */
export interface Relation {
  readonly table: string;
  readonly column: string;
  readonly names: string;
  /** What is lost where the named line is missing, as people call it. */
  readonly lost: string;
  /** Which lines have to name one; all when absent. */
  readonly where?: string;
}

const relation = (
  ...[table, column, names, lost, where]: [string, string, string, string, string?]
): Relation => ({ ...{ table, column, names, lost }, ...(where !== undefined && { where }) });

/** Relations that hold at any moment. SQLite does not hold them for us: that would cost each insert a look. */
export const relations: readonly Relation[] = [
  relation('answer', 'call_id', 'call', 'answers without their question'),
  relation('answer', 'bundle_id', 'bundle', 'answers without their body'),
  relation('answer', 'replaced_id', 'answer', 'answers whose earlier one is gone'),
  relation('call', 'answer_id', 'answer', 'calls whose newest answer is gone'),
  relation('alias', 'answer_id', 'answer', 'identifiers of answers that are gone'),
  relation('run', 'list_id', 'list', 'runs without their list', 'pruned_at is null'),
  relation('list_block', 'list_id', 'list', 'rows of lists that are gone'),
  relation('waiting', 'run_id', 'run', 'waiting rows of runs that are gone'),
  relation('waiting', 'row_id', 'row', 'waiting rows that are gone'),
  relation('waiting', 'call_id', 'call', 'waiting rows without their question'),
  relation('outcome', 'run_id', 'run', 'outcomes of runs that are gone'),
  relation('outcome', 'row_id', 'row', 'outcomes of rows that are gone'),
  relation('outcome', 'call_id', 'call', 'outcomes without their question'),
  relation('outcome', 'answer_id', 'answer', 'outcomes whose answer is gone'),
  relation('completed_call', 'search_id', 'search', 'pages of people searches that are gone'),
  relation('open_call', 'run_id', 'run', 'open calls of runs that are gone'),
  relation('open_call', 'call_id', 'call', 'open calls without their question'),
  relation('open_call', 'search_id', 'search', 'open pages of people searches that are gone'),
  relation('lease', 'run_id', 'run', 'leases of runs that are gone'),
  relation('lease', 'call_id', 'call', 'leases without their question'),
  relation('completed_call', 'run_id', 'run', 'answered calls of runs that are gone'),
  relation('completed_call', 'call_id', 'call', 'answered calls without their question'),
  relation('completed_call', 'answer_id', 'answer', 'answered calls whose answer is gone'),
  relation('search', 'run_id', 'run', 'people searches of runs that are gone'),
  relation('found', 'search_id', 'search', 'people of searches that are gone'),
  relation('progress', 'run_id', 'run', 'counts of runs that are gone'),
  relation('timeline', 'run_id', 'run', 'timelines of runs that are gone'),
  relation('tally', 'run_id', 'run', 'sums of reports of runs that are gone'),
];
