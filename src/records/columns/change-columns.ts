import { jsonText } from '../../runtime/json/json-text.ts';
import type { Change } from '../changes/change.ts';
import { type ColumnType, ownColumn, type ValueColumn } from './columns.ts';

/** A change, and the two runs between which it came about. */
export interface RecordedChange extends Change {
  /** `r29` */
  readonly sinceRun: string;
  readonly run: string;
}

const own = (
  name: string,
  type: ColumnType,
  description: string,
  value: ValueColumn<RecordedChange>['value'],
): ValueColumn<RecordedChange> => ({ ...ownColumn(name, type, description), value });

/** The columns of changes.*. */
export const changeColumns: readonly ValueColumn<RecordedChange>[] = [
  own(
    'op',
    'text',
    'What happened: row_added, row_removed, company_found, company_lost, company_replaced, company_changed, person_joined, person_left or person_changed.',
    ({ op }) => op,
  ),
  own(
    'row_key',
    'text',
    'Key of the row; of a person, of the first row that led to the company.',
    ({ rowKey }) => rowKey,
  ),
  own(
    'row_number',
    'integer',
    'Number of that row in the later run; of a removed row, in the earlier one.',
    ({ rowNumber }) => rowNumber,
  ),
  own(
    'company_id',
    'text',
    'The company of the row now; the one that it had where it has none any more.',
    ({ companyId }) => companyId,
  ),
  own('company_name', 'text', 'Name of that company.', ({ companyName }) => companyName),
  own('country', 'text', 'Country that was asked about.', ({ country }) => country),
  own('person_id', 'text', 'The person; empty where a row changed.', ({ personId }) => personId),
  own(
    'columns',
    'list',
    'Columns of companies or people that differ; none where a whole record came or went.',
    ({ columns }) => columns,
  ),
  own(
    'before',
    'json',
    'What these columns held, by name; all filled ones where the record is gone, empty where it is new.',
    ({ before }) => before && jsonText(before),
  ),
  own(
    'after',
    'json',
    'What they hold now; all filled ones where the record is new, empty where it is gone.',
    ({ after }) => after && jsonText(after),
  ),
  own(
    'before_fetched_at',
    'timestamp',
    'When the earlier answer arrived, UTC.',
    ({ beforeFetchedAt }) => beforeFetchedAt,
  ),
  own(
    'after_fetched_at',
    'timestamp',
    'When the later answer arrived, UTC.',
    ({ afterFetchedAt }) => afterFetchedAt,
  ),
  own('since_run', 'text', 'The run that was compared with.', ({ sinceRun }) => sinceRun),
  own('run', 'text', 'The run that shows the change.', ({ run }) => run),
];

export function toChangeRecord(change: RecordedChange) {
  return changeColumns.map(({ value }) => value(change));
}
