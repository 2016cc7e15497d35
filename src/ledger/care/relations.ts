/** A column that names a line of another table. Null names none. */
export interface Relation {
  readonly table: string;
  readonly column: string;
  readonly names: string;
  /** What is lost where the named line is missing, as people call it. */
  readonly lost: string;
}

const relation = (table: string, column: string, names: string, lost: string): Relation => ({
  ...{ table, column, names, lost },
});

/** Relations that hold at any moment. SQLite does not hold them for us: that would cost each insert a look. */
export const relations: readonly Relation[] = [
  relation('answer', 'call_id', 'call', 'answers without their question'),
  relation('answer', 'bundle_id', 'bundle', 'answers without their body'),
  relation('call', 'answer_id', 'answer', 'calls whose newest answer is gone'),
  relation('alias', 'answer_id', 'answer', 'identifiers of answers that are gone'),
  relation('open_call', 'run_id', 'run', 'open calls of runs that are gone'),
  relation('open_call', 'call_id', 'call', 'open calls without their question'),
  relation('lease', 'run_id', 'run', 'leases of runs that are gone'),
  relation('completed_call', 'run_id', 'run', 'answered calls of runs that are gone'),
  relation('completed_call', 'call_id', 'call', 'answered calls without their question'),
  relation('completed_call', 'answer_id', 'answer', 'answered calls whose answer is gone'),
  relation('search', 'run_id', 'run', 'people searches of runs that are gone'),
  relation('found', 'search_id', 'search', 'people of searches that are gone'),
];
