import type { Database } from 'better-sqlite3';

/** Columns that name a line of another table. SQLite does not check this: a check would cost each insert a look. */
export const relations = [
  'answer.call_id call',
  'answer.bundle_id bundle',
  'answer.replaced_id answer',
  'call.answer_id answer',
  'call.kept_answer_id answer',
  'alias.answer_id answer',
  'run.list_id list',
  'list_block.list_id list',
  'waiting.run_id run',
  'waiting.row_id row',
  'waiting.call_id call',
  'outcome.run_id run',
  'outcome.row_id row',
  'outcome.call_id call',
  'outcome.answer_id answer',
  'completed_call.search_id search',
  'waiting.search_id search',
  'lease.run_id run',
  'possibly_charged_call.run_id run',
  'possibly_charged_call.call_id call',
  'completed_call.run_id run',
  'completed_call.call_id call',
  'completed_call.answer_id answer',
  'search.run_id run',
  'found.search_id search',
  'progress.run_id run',
  'tally.run_id run',
  'delivery.run_id run',
];

/** Those of them that some line breaks. A pruned run has no list any more. */
export function brokenRelations(db: Database): string[] {
  return relations.filter((relation) => {
    const [, table, column, names] = /^(\w+)\.(\w+) (\w+)$/.exec(relation) ?? [];
    const where = table === 'run' ? 'pruned_at is null' : 'true';
    const broken = db.prepare(`
      select 1 from ${table} t where t.${column} <> 0 and ${where}
        and not exists (select 1 from ${names} n where n.id = t.${column})`);
    return broken.get() !== undefined;
  });
}
