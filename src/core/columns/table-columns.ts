import { Company, Person } from '../contract/company.ts';
import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import { jsonText } from '../runtime/json/json-text.ts';
import {
  type Cell,
  type Column,
  type ColumnType,
  fieldColumn,
  makeUnique,
  maxNameBytes,
  ownColumn,
  snakeCase,
  type ValueColumn,
} from './columns.ts';
import type { Change } from './compare-records.ts';
import { fieldsOf, type ObjectFields } from './flatten-answer.ts';
import type { PeopleRecord, RowRecord, SearchRecord } from './run-records.ts';

export const companyFields: ObjectFields = fieldsOf(Company);

/** One column for each value of the interface, in its order, and one for the rest. */
export const companyColumns: readonly Column[] = [
  ...companyFields.values.map((field) => fieldColumn(field, 'company_')),
  ownColumn(
    'company_extra',
    'json',
    'What the interface does not name, or what came in a type that could not be kept, under its own path.',
  ),
];

function own<Source>(
  name: string,
  type: ColumnType,
  description: string,
  value: keyof Source | ((source: Source) => Cell),
): ValueColumn<Source> {
  const column = ownColumn(name, type, description);
  if (typeof value === 'function') return { ...column, value };
  return { ...column, value: (source) => source[value] as Cell };
}

export const rowColumns: readonly ValueColumn<RowRecord>[] = [
  own('row_number', 'integer', 'Number of the input row, from 1 without the header.', 'number'),
  own(
    'row_key',
    'text',
    'Key of the input row, the same in every run of the job, wherever the row stands.',
    'key',
  ),
  own(
    'status',
    'text',
    'matched, not_found, invalid, failed or suppressed; open where the run has not finished.',
    'status',
  ),
  own('reason', 'text', 'Code of the reason where the row has no company.', 'reason'),
  own('message', 'text', 'The reason in a sentence.', 'message'),
  own('matched_by', 'text', 'Kind of the identifier that found the company.', 'matchedBy'),
  own('identifier', 'text', 'The identifier that was asked for, cleaned.', 'identifier'),
  own(
    'match',
    'text',
    'Whether the answer carries that identifier: exact, alias, mismatch, unverified; joined where it does, but was given for another identifier of the company, and this one was not asked for.',
    'match',
  ),
  own('country', 'text', 'Country that was asked about.', 'country'),
  own(
    'fetched_at',
    'timestamp',
    'When the answer arrived, UTC; empty where none did.',
    'fetchedAt',
  ),
  own(
    'stale',
    'boolean',
    'Whether the row keeps an answer that is older than the job allows, because a newer one could not be had.',
    'isStale',
  ),
  own(
    'changed_at',
    'timestamp',
    'When the record last became different, UTC: what came with an answer, or with the list.',
    'changedAt',
  ),
  own(
    'people_complete',
    'boolean',
    'Whether all people of the company were received; false where there may be more, because maxPerCompany was reached, a page failed or the service tells of more. Empty where no people were searched.',
    'peopleComplete',
  ),
];

const reasonColumns = [
  ...['row_number', 'row_key', 'status', 'reason', 'message', 'stale', 'changed_at'],
];

export const rejectColumns = rowColumns.filter(({ name }) => reasonColumns.includes(name));

/**
 * `Company Name → input_company_name`, in any script. A header without letters or digits becomes
 * `input_column_3`, by position. Names are truncated to 63 bytes; a repeated name gets `_2`.
 */
export function inputColumns(headers: readonly string[]): Column[] {
  return makeUnique(headers.map(inputName), { maxBytes: maxNameBytes }).map((name, index) =>
    ownColumn(name, 'text', `Column \`${headers[index]}\` of the input.`),
  );
}

/** Input columns that users may not recognise, because the name was truncated or numbered. */
export function renamedInputs(headers: readonly string[]): { header: string; name: string }[] {
  return inputColumns(headers)
    .map(({ name }, index) => ({ header: headers[index] ?? '', name }))
    .filter(({ header, name }, index) => name !== inputName(header, index));
}

function inputName(header: string, index: number): string {
  return `input_${snakeCase(header) || `column_${index + 1}`}`;
}

export interface FoundPerson {
  readonly company: PeopleRecord;
  readonly cells: readonly Cell[];
  readonly extra: unknown;
  readonly fetchedAt: string;
  readonly searches: ReadonlySet<SearchRecord>;
  readonly names: ReferenceNames;
}

export const personFields: ObjectFields = fieldsOf(Person);

const personIdIndex = personFields.values.findIndex(({ path }) => path[0] === 'person_id');

export const peopleColumns: readonly ValueColumn<FoundPerson>[] = [
  own('company_id', 'text', 'Company that was searched.', ({ company }) => company.companyId),
  ...personFields.values.map((field) => ({
    ...fieldColumn(field, ''),
    value: ({ cells }: FoundPerson) => cells[field.index] ?? null,
  })),
  own(
    'seniority',
    'list',
    'Ids of the seniorities of the searches that found the person.',
    (person) => distinct(person, 'seniority'),
  ),
  own('seniority_name', 'list', 'Names of these seniorities, in the same order.', (person) =>
    named(distinct(person, 'seniority'), person.names.seniority),
  ),
  own(
    'department',
    'list',
    'Ids of the departments of the searches that found the person.',
    (person) => distinct(person, 'department'),
  ),
  own('department_name', 'list', 'Names of these departments, in the same order.', (person) =>
    named(distinct(person, 'department'), person.names.department),
  ),
  own('position_query', 'list', 'Positions that the searches asked for.', (person) =>
    distinct(person, 'position'),
  ),
  own('country', 'text', 'Country that was searched.', ({ company }) => company.country),
  own(
    'row_numbers',
    'integers',
    'Input rows that led to the company.',
    ({ company }) => company.rows,
  ),
  own(
    'row_keys',
    'list',
    'Keys of these rows, in the same order.',
    ({ company }) => company.rowKeys,
  ),
  own('fetched_at', 'timestamp', 'When the person was first found, UTC.', 'fetchedAt'),
  own(
    'stale',
    'boolean',
    'Whether the person is of an earlier search, because a newer one could not be made to its end.',
    ({ company }) => company.isStale,
  ),
  own(
    'changed_at',
    'timestamp',
    'When the record last became different, UTC.',
    ({ company, cells }) => changedAtOf(company, String(cells[personIdIndex])),
  ),
  own(
    'extra',
    'json',
    'What the interface does not name, or what could not be kept in its type.',
    ({ extra }) => (extra === undefined ? null : jsonText(extra)),
  ),
];

/** Most people last changed with the whole search, so only exceptions are listed. */
function changedAtOf({ changedAt, changedAtByPerson }: PeopleRecord, personId: string) {
  // An id may equal an inherited property name.
  return Object.hasOwn(changedAtByPerson, personId)
    ? (changedAtByPerson[personId] ?? null)
    : changedAt;
}

/** An id without a name stays as it is, to keep both lists the same length. */
function named(ids: readonly string[], names: NameTable): string[] {
  return ids.map((id) => names[id] ?? id);
}

function distinct(
  { searches }: FoundPerson,
  what: 'seniority' | 'department' | 'position',
): string[] {
  return [...new Set([...searches].map((search) => search[what]).filter((word) => word !== null))];
}

export interface RecordedChange extends Change {
  readonly sinceRun: string;
  readonly run: string;
}

export const changeColumns: readonly ValueColumn<RecordedChange>[] = [
  own(
    'op',
    'text',
    'What happened: row_added, row_removed, company_found, company_lost, company_replaced, company_changed, person_joined, person_left or person_changed.',
    'op',
  ),
  own(
    'row_key',
    'text',
    'Key of the row; of a person, of the first row that led to the company.',
    'rowKey',
  ),
  own(
    'row_number',
    'integer',
    'Number of that row in the later run; of a removed row, in the earlier one.',
    'rowNumber',
  ),
  own(
    'company_id',
    'text',
    'The company of the row now; the one that it had where it has none any more.',
    'companyId',
  ),
  own('company_name', 'text', 'Name of that company.', 'companyName'),
  own('country', 'text', 'Country that was asked about.', 'country'),
  own('person_id', 'text', 'The person; empty where a row changed.', 'personId'),
  own(
    'columns',
    'list',
    'Columns of companies or people that differ; none where a whole record came or went.',
    'columns',
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
  own('before_fetched_at', 'timestamp', 'When the earlier answer arrived, UTC.', 'beforeFetchedAt'),
  own('after_fetched_at', 'timestamp', 'When the later answer arrived, UTC.', 'afterFetchedAt'),
  own('since_run', 'text', 'The run that was compared with.', 'sinceRun'),
  own('run', 'text', 'The run that shows the change.', 'run'),
];

export function toChangeRecord(change: RecordedChange) {
  return changeColumns.map(({ value }) => value(change));
}
