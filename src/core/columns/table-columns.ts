import { Company, Person } from '../contract/company.ts';
import { kindName } from '../contract/identifier-kinds.ts';
import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import { type RegisterEntity, suggestionText } from '../names/row-register.ts';
import { jsonText } from '../values/json-text.ts';
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

export const companyColumns: readonly Column[] = [
  ...companyFields.values.map((field) => fieldColumn(field, 'company_')),
  ownColumn(
    'company_extra',
    'json',
    'Values in the answer that have an unexpected type or no column of their own, by path.',
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
  own(
    'row_number',
    'integer',
    'Number of the input row, from 1, not counting the header.',
    'number',
  ),
  own(
    'row_key',
    'text',
    'Key of the input row. It stays the same in every run, even if the row moves.',
    'key',
  ),
  own(
    'status',
    'text',
    'matched, not_found, invalid, failed or suppressed; open if the run has not finished.',
    'status',
  ),
  own('reason', 'text', 'Reason code, if the row has no company.', 'reason'),
  own(
    'message',
    'text',
    'The reason as a sentence, and the value that was certainly meant.',
    'message',
  ),
  own(
    'matched_by',
    'text',
    'Kind of the identifier that found the company. name: the register gave the ABN for the name in the list.',
    'matchedBy',
  ),
  own('identifier', 'text', 'The identifier that was looked up, after cleaning.', 'identifier'),
  own(
    'match',
    'text',
    'Whether the company in the answer has this identifier. exact: yes. alias: yes, as another of its identifiers. mismatch: no, it has a different one. unverified: the answer does not show it. joined: another row found the company, and its answer has this identifier, so no call was made.',
    'match',
  ),
  own(
    'country',
    'text',
    'Country of the lookup. The headquarters may be elsewhere: see `company_hq_country`.',
    'country',
  ),
  own(
    'fetched_at',
    'timestamp',
    'When the answer arrived, UTC. Empty without an answer.',
    'fetchedAt',
  ),
  own(
    'stale',
    'boolean',
    'Whether the answer is older than the job allows, because a newer call failed, or missed a known company.',
    'isStale',
  ),
  own(
    'changed_at',
    'timestamp',
    'When the record last changed, UTC, because of a new answer or a change in the list.',
    'changedAt',
  ),
  own(
    'people_complete',
    'boolean',
    'Whether all people at the company were fetched. False if the limit of people per company was reached, a page failed, or the service reports more people. Empty without a people search.',
    'peopleComplete',
  ),
];

function ofRegister(field: keyof RegisterEntity, description: string) {
  const name = `register_${snakeCase(field)}`;
  return own<RowRecord>(name, 'text', description, (row) => row.register?.entity?.[field] ?? null);
}

/** Filled if a register knows the ABN of the row. Files have them only if the run used one. */
export const registerColumns: readonly ValueColumn<RowRecord>[] = [
  ofRegister('status', 'Whether the ABN is active or cancelled.'),
  ofRegister('name', 'Main name of the ABN.'),
  ofRegister('entityType', 'Type of entity, such as Australian Private Company.'),
  ofRegister('state', 'State of the main business location.'),
  ofRegister('postcode', 'Postcode of the main business location.'),
  ofRegister('gst', 'Whether its registration for GST is active, cancelled or none.'),
  ofRegister('acn', 'Its ACN or ARBN.'),
];

const lookedUp = own<RowRecord>(
  'looked_up',
  'list',
  'Identifiers that were looked up and not found, such as `Domain acme.com.au`.',
  // Several services may have missed the same identifier.
  ({ missed }) =>
    missed ? [...new Set(missed.map(([kind, value]) => `${kindName(kind)} ${value}`))] : null,
);

const suggestions = own<RowRecord>(
  'suggestions',
  'list',
  'What a rejected value may mean: the domain that was certainly meant, then, with a register, up to five companies with ABN, place and reasons, the best first.',
  ({ register, meant }) => {
    const named = register?.suggestions?.map(suggestionText) ?? [];
    return meant || named.length > 0 ? [...(meant ? [meant] : []), ...named] : null;
  },
);

const suggestedAbns = own<RowRecord>(
  'suggested_abns',
  'list',
  'The ABNs in `suggestions`, in the same order. Copy one over the name, and run `dossier fix`.',
  ({ register }) =>
    register?.suggestions?.filter(({ kind }) => kind === 'abn').map(({ value }) => value) ?? null,
);

const ofRow = (column: ValueColumn<RowRecord>): ValueColumn<RecordParts> => ({
  ...column,
  value: ({ row }) => (row ? column.value(row.row) : null),
});

interface RecordParts {
  readonly row?: { readonly row: RowRecord } | undefined;
  readonly service?: string | null | undefined;
}

/** The last columns of a table in files. Only some runs have those of a register or several services. */
export const lastColumns: Readonly<
  Record<
    'always' | 'hasRegister' | 'hasServices',
    Readonly<Partial<Record<string, readonly ValueColumn<RecordParts>[]>>>
  >
> = {
  always: { rejects: [ofRow(lookedUp), ofRow(suggestions)] },
  hasRegister: { rejects: [ofRow(suggestedAbns)] },
  hasServices: {
    companies: [
      own(
        'service',
        'text',
        'Name of the service that found the company, and gave its `company_id`.',
        ({ row }) => row?.row.service ?? null,
      ),
    ],
    people: [own('service', 'text', 'Name of the service of `company_id`.', 'service')],
    rejects: [
      own(
        'tried',
        'list',
        'Names of the services that missed the row.',
        ({ row }) => row?.row.tried ?? null,
      ),
    ],
  },
};

const reasonColumns = [
  'row_number',
  'row_key',
  'status',
  'reason',
  'message',
  'stale',
  'changed_at',
];

export const rejectColumns = rowColumns.filter(({ name }) => reasonColumns.includes(name));

/** `Company Name → input_company_name` */
export function inputColumns(headers: readonly string[]): Column[] {
  return makeUnique(headers.map(inputName), { maxBytes: maxNameBytes }).map((name, index) =>
    ownColumn(name, 'text', `Column \`${headers[index]}\` of the input.`),
  );
}

export function renamedInputs(headers: readonly string[]): { header: string; name: string }[] {
  return inputColumns(headers)
    .map(({ name }, index) => ({ header: headers[index] ?? '', name }))
    .filter(({ header, name }, index) => name !== inputName(header, index));
}

function inputName(header: string, index: number) {
  return `input_${snakeCase(header) || `column_${index + 1}`}`;
}

export interface FoundPerson {
  readonly company: PeopleRecord;
  readonly cells: readonly Cell[];
  readonly extra: unknown;
  readonly fetchedAt: string;
  readonly searches: ReadonlySet<SearchRecord>;
  readonly reference: ReferenceNames;
}

export const personFields: ObjectFields = fieldsOf(Person);

export const personIdIndex = personFields.values.findIndex(({ path }) => path[0] === 'person_id');

export const peopleColumns: readonly ValueColumn<FoundPerson>[] = [
  own(
    'list_key',
    'text',
    'Key of the first row in `row_keys`. With `input.key`, the value of your own column.',
    ({ company }) => company.rowKeys[0] ?? null,
  ),
  own(
    'list_company',
    'text',
    'Name of the company in your list, from the same row. Empty if no header names such a column.',
    ({ company }) => company.listCompany,
  ),
  own(
    'company_id',
    'text',
    'Id of the company whose people were searched.',
    ({ company }) => company.companyId,
  ),
  ...personFields.values.map((field) => ({
    ...fieldColumn(field, ''),
    value: ({ cells }: FoundPerson) => cells[field.index] ?? null,
  })),
  own('seniority', 'list', 'Seniority ids of the searches that found the person.', (person) =>
    distinct(person, 'seniority'),
  ),
  own('seniority_name', 'list', 'Names of the ids in `seniority`, in the same order.', (person) =>
    named(distinct(person, 'seniority'), person.reference.seniority),
  ),
  own('department', 'list', 'Department ids of the searches that found the person.', (person) =>
    distinct(person, 'department'),
  ),
  own('department_name', 'list', 'Names of the ids in `department`, in the same order.', (person) =>
    named(distinct(person, 'department'), person.reference.department),
  ),
  own(
    'position_query',
    'list',
    'Position titles of the searches that found the person.',
    (person) => distinct(person, 'position'),
  ),
  own('country', 'text', 'Country that was searched.', ({ company }) => company.country),
  own(
    'row_numbers',
    'integers',
    'Numbers of the input rows that led to the company.',
    ({ company }) => company.rows,
  ),
  own(
    'row_keys',
    'list',
    'Keys of the rows in `row_numbers`, in the same order.',
    ({ company }) => company.rowKeys,
  ),
  own('fetched_at', 'timestamp', 'When the person was first found, UTC.', 'fetchedAt'),
  own(
    'stale',
    'boolean',
    'Whether the person comes from an earlier search, because a newer one did not finish.',
    ({ company }) => company.isStale,
  ),
  own('changed_at', 'timestamp', 'When the record last changed, UTC.', ({ company, cells }) =>
    changedAtOf(company, String(cells[personIdIndex])),
  ),
  own(
    'extra',
    'json',
    'Values that have an unexpected type or no column of their own.',
    ({ extra }) => (extra === undefined ? null : jsonText(extra)),
  ),
];

function changedAtOf({ changedAt, changedAtByPerson }: PeopleRecord, personId: string) {
  // An id may be the name of an inherited property, such as `constructor`.
  return Object.hasOwn(changedAtByPerson, personId)
    ? (changedAtByPerson[personId] ?? null)
    : changedAt;
}

/** An id without a name stays, so both lists have the same length. */
function named(ids: readonly string[], names: NameTable) {
  return ids.map((id) => names[id] ?? id);
}

function distinct({ searches }: FoundPerson, what: 'seniority' | 'department' | 'position') {
  return [...new Set([...searches].map((search) => search[what]).filter((word) => word !== null))];
}

export interface RecordedChange extends Change {
  readonly sinceRun: string;
  readonly run: string;
}

function changedText({ op, columns, before, after }: Change) {
  const shown = (value: unknown) =>
    (Array.isArray(value) ? value.join('; ') : jsonText(value ?? '').replace(/^"(.*)"$/s, '$1')) ||
    'nothing';
  const named = op.endsWith('_changed') ? columns : columns.filter((one) => one === 'company_name');
  const texts = named.map((one) => `${one}: ${shown(before?.[one])} → ${shown(after?.[one])}`);
  return texts.join(' | ') || null;
}

export const changeColumns: readonly ValueColumn<RecordedChange>[] = [
  own(
    'op',
    'text',
    'What happened: row_added, row_removed, company_found, company_lost, company_replaced, service_changed, company_changed, person_joined, person_left or person_changed.',
    'op',
  ),
  own(
    'row_key',
    'text',
    'Key of the row. For a person, key of the first row with the same company.',
    'rowKey',
  ),
  own(
    'row_number',
    'integer',
    'Number of the row in the list of the later run. For a removed row, in the list of the earlier run.',
    'rowNumber',
  ),
  own(
    'company_id',
    'text',
    'Id of the company that the row has now, or had before if it has none now.',
    'companyId',
  ),
  own('company_name', 'text', 'Name of the company in `company_id`.', 'companyName'),
  own('country', 'text', 'Country of the lookup.', 'country'),
  own('person_id', 'text', 'Id of the person. Empty if the change concerns a row.', 'personId'),
  own(
    'columns',
    'list',
    'Columns of the companies or people table that differ. Empty for a new or removed record.',
    'columns',
  ),
  own(
    'changed',
    'text',
    'The change for people: `company_employee_count: 12 → 14 | company_phones: nothing → 02 9000 1000`. If the company is another one, only its name.',
    changedText,
  ),
  own(
    'before',
    'json',
    'Earlier values of the columns in `columns`. All values of a removed record; empty for a new one.',
    ({ before }) => before && jsonText(before),
  ),
  own(
    'after',
    'json',
    'New values of the columns in `columns`. All values of a new record; empty for a removed one.',
    ({ after }) => after && jsonText(after),
  ),
  own('before_fetched_at', 'timestamp', 'When the earlier answer arrived, UTC.', 'beforeFetchedAt'),
  own('after_fetched_at', 'timestamp', 'When the later answer arrived, UTC.', 'afterFetchedAt'),
  own('since_run', 'text', 'The earlier run of the comparison.', 'sinceRun'),
  own('run', 'text', 'The later run of the comparison.', 'run'),
];
