import type { Column } from './columns.ts';

/**
 * How a column counts when two runs are compared: `always`; `on_request`, only where `changes.include`
 * of the job names it, because it moves by itself; or `never`.
 */
export type Comparison = 'always' | 'on_request' | 'never';

export function comparisonOf({ name, path }: Pick<Column, 'name' | 'path'>): Comparison {
  if (neverCompared.has(name)) return 'never';
  if (volatileColumns.has(name) || name.startsWith('input_')) return 'on_request';
  const field = path.join('.');
  return volatileFields.some((pattern) => pattern.test(field)) ? 'on_request' : 'always';
}

/** Where a record stands, when it was fetched, and names that the job itself gives. */
const neverCompared: ReadonlySet<string> = new Set([
  ...['row_number', 'row_key', 'fetched_at', 'stale', 'changed_at'],
  ...['row_numbers', 'row_keys', 'seniority_name', 'department_name'],
]);

/**
 * Words of the service about a failure, how far a search came, and fields that the interface does not
 * name: the time of the last update, say, which is new with every answer.
 */
const volatileColumns: ReadonlySet<string> = new Set([
  ...['message', 'people_complete', 'company_extra', 'extra'],
]);

/** Traffic, ratings and the counts of social profiles differ from one answer to the next. */
const volatileFields = [
  /^nextGen\.web_traffic\./,
  /^nextGen\.reviews_rating\.(?!employee_rating_id$|url$)/,
  /^nextGen\.social_media\.\w+\.(?:followers|videos|likes|views|subscribers|following)$/,
];
