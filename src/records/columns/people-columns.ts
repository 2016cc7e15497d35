import { Person } from '../../contract/person.ts';
import type { NameTable, ReferenceNames } from '../../contract/reference.ts';
import type { PeopleRecord, SearchRecord } from '../../ledger/run-records.ts';
import { jsonText } from '../../runtime/json/json-text.ts';
import { type Cell, type ColumnType, fieldColumn, ownColumn, type ValueColumn } from './columns.ts';
import { fieldsOf, type ObjectFields } from './interface-fields.ts';

/** A person of a company, with all that the searches say of them. */
export interface FoundPerson {
  readonly company: PeopleRecord;
  /** The values that the interface names, in its order. */
  readonly cells: readonly Cell[];
  /** What the interface does not name; undefined when there is nothing. */
  readonly extra: unknown;
  /** Of the first finding. */
  readonly fetchedAt: string;
  readonly searches: ReadonlySet<SearchRecord>;
  /** What the job calls the ids of searches. */
  readonly names: ReferenceNames;
}

export const personFields: ObjectFields = fieldsOf(Person);

const personIdIndex = personFields.values.findIndex(({ path }) => path[0] === 'person_id');

const own = (
  name: string,
  type: ColumnType,
  description: string,
  value: ValueColumn<FoundPerson>['value'],
): ValueColumn<FoundPerson> => ({ ...ownColumn(name, type, description), value });

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
    senioritiesOf,
  ),
  own('seniority_name', 'list', 'Names of these seniorities, in the same order.', (person) =>
    named(senioritiesOf(person), person.names.seniority),
  ),
  own(
    'department',
    'list',
    'Ids of the departments of the searches that found the person.',
    departmentsOf,
  ),
  own('department_name', 'list', 'Names of these departments, in the same order.', (person) =>
    named(departmentsOf(person), person.names.department),
  ),
  own('position_query', 'list', 'Positions that the searches asked for.', ({ searches }) =>
    distinct(searches, ({ position }) => position),
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
  own(
    'fetched_at',
    'timestamp',
    'When the person was first found, UTC.',
    ({ fetchedAt }) => fetchedAt,
  ),
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

/** Most people of a search are as they were in an earlier one. */
function changedAtOf({ changedAt, changedAtByPerson }: PeopleRecord, personId: string) {
  // An id may be the name of something that every object inherits.
  return Object.hasOwn(changedAtByPerson, personId)
    ? (changedAtByPerson[personId] ?? null)
    : changedAt;
}

function senioritiesOf({ searches }: FoundPerson): string[] {
  return distinct(searches, ({ seniority }) => seniority);
}

function departmentsOf({ searches }: FoundPerson): string[] {
  return distinct(searches, ({ department }) => department);
}

/** An id that has no name stands for itself, so that both lists have the same length. */
function named(ids: readonly string[], names: NameTable): string[] {
  return ids.map((id) => names[id] ?? id);
}

function distinct(
  searches: ReadonlySet<SearchRecord>,
  wordOf: (search: SearchRecord) => string | null,
): string[] {
  const words = [...searches].map(wordOf).filter((word) => word !== null);
  return [...new Set(words)];
}
