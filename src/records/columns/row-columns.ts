import type { RowRecord } from '../../ledger/run-records.ts';
import {
  type Column,
  type ColumnType,
  maxNameBytes,
  ownColumn,
  type ValueColumn,
} from './columns.ts';
import { makeUnique, snakeCase } from './snake-case.ts';

const own = (
  name: string,
  type: ColumnType,
  description: string,
  value: ValueColumn<RowRecord>['value'],
): ValueColumn<RowRecord> => ({ ...ownColumn(name, type, description), value });

/** What companies.* says of a row before its company and its input. */
export const rowColumns: readonly ValueColumn<RowRecord>[] = [
  own(
    'row_number',
    'integer',
    'Number of the input row, from 1 without the header.',
    ({ number }) => number,
  ),
  own(
    'row_key',
    'text',
    'Key of the input row, the same in every run of the job, wherever the row stands.',
    ({ key }) => key,
  ),
  own(
    'status',
    'text',
    'matched, not_found, invalid or failed; open where the run has not finished.',
    ({ status }) => status,
  ),
  own('reason', 'text', 'Code of the reason where the row has no company.', ({ reason }) => reason),
  own('message', 'text', 'The reason in a sentence.', ({ message }) => message),
  own(
    'matched_by',
    'text',
    'Kind of the identifier that found the company.',
    ({ matchedBy }) => matchedBy,
  ),
  own(
    'identifier',
    'text',
    'The identifier that was asked for, cleaned.',
    ({ identifier }) => identifier,
  ),
  own(
    'match',
    'text',
    'Whether the answer carries that identifier: exact, alias, mismatch, unverified; joined where it does, but was given for another identifier of the company, and this one was not asked for.',
    ({ match }) => match,
  ),
  own('country', 'text', 'Country that was asked about.', ({ country }) => country),
  own(
    'fetched_at',
    'timestamp',
    'When the answer arrived, UTC; empty where none did.',
    ({ fetchedAt }) => fetchedAt,
  ),
  own(
    'stale',
    'boolean',
    'Whether the row keeps an answer that is older than the job allows, because a newer one could not be had.',
    ({ isStale }) => isStale,
  ),
  own(
    'changed_at',
    'timestamp',
    'When the record last became different, UTC: what came with an answer, or with the list.',
    ({ changedAt }) => changedAt,
  ),
  own(
    'people_complete',
    'boolean',
    'Whether all people of the company were received; false where there may be more, because maxPerCompany was reached, a page failed or the service tells of more. Empty where no people were searched.',
    ({ peopleComplete }) => peopleComplete,
  ),
];

const reasonColumns = [
  ...['row_number', 'row_key', 'status', 'reason', 'message', 'stale', 'changed_at'],
];

/** The columns that follow the input's own in rejects.*. */
export const rejectColumns = rowColumns.filter(({ name }) => reasonColumns.includes(name));

/**
 * `Company Name → input_company_name`: snake_case with letters and digits of any script; a header
 * without any is `input_column_3` by its position; of equal names the second is `…_2`; a name of more
 * than 63 bytes is cut off.
 */
export function inputColumns(headers: readonly string[]): Column[] {
  return makeUnique(headers.map(inputName), { maxBytes: maxNameBytes }).map((name, index) =>
    ownColumn(name, 'text', `Column \`${headers[index]}\` of the input.`),
  );
}

/** Columns of the input whose names are cut off or numbered, so that nobody would look for them there. */
export function renamedInputs(headers: readonly string[]): { header: string; name: string }[] {
  return inputColumns(headers)
    .map(({ name }, index) => ({ header: headers[index] ?? '', name }))
    .filter(({ header, name }, index) => name !== inputName(header, index));
}

function inputName(header: string, index: number): string {
  return `input_${snakeCase(header) || `column_${index + 1}`}`;
}
