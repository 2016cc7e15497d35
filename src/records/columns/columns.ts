import { Company } from '../../contract/company.ts';
import { Person } from '../../contract/person.ts';
import { fieldsOf, type ObjectFields, type ValueField } from './interface-fields.ts';
import { makeUnique, snakeCase } from './snake-case.ts';

export type ColumnType =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'timestamp'
  | 'list'
  | 'integers'
  | 'json';

/** One column of an output file. CSV, JSONL, Parquet and docs/columns.md are made from these. */
export interface Column {
  readonly name: string;
  /** Where the value stands in the answer of the service; empty where it is ours. */
  readonly path: readonly string[];
  readonly type: ColumnType;
  readonly description: string;
}

/** A value of a record: the type of its column, or null. JSON and timestamps are text. */
export type Cell = string | number | boolean | readonly string[] | readonly number[] | null;

/** The cells of one record, in the order of the columns. */
export type FlatRecord = readonly Cell[];

export const companyFields: ObjectFields = fieldsOf(Company);
export const personFields: ObjectFields = fieldsOf(Person);

const own = (name: string, type: ColumnType, description: string): Column => ({
  name,
  path: [],
  type,
  description,
});

export const rowColumns: readonly Column[] = [
  own('row', 'integer', 'Number of the input row, from 1 without the header.'),
  own('status', 'text', 'matched, not_found, invalid or failed.'),
  own('reason', 'text', 'Code of the reason where the row has no company.'),
  own('message', 'text', 'The reason in a sentence.'),
  own('matched_by', 'text', 'Kind of the identifier that found the company.'),
  own('identifier', 'text', 'The identifier that was asked for, cleaned.'),
  own(
    'match',
    'text',
    'Whether the answer carries that identifier: exact, alias, mismatch, unverified.',
  ),
  own('country', 'text', 'Country that was asked about.'),
  own('fetched_at', 'timestamp', 'When the answer arrived, UTC.'),
];

export const companyColumns: readonly Column[] = [
  ...companyFields.values.map((field) => toColumn(field, 'company_')),
  own(
    'company_extra',
    'json',
    'What the interface does not name, or what came in a type that could not be kept, under its own path.',
  ),
];

export const peopleColumns: readonly Column[] = [
  own('company_id', 'text', 'Company that was searched.'),
  ...personFields.values.map((field) => toColumn(field, '')),
  own('seniority', 'list', 'Seniorities of the searches that found the person.'),
  own('department', 'list', 'Departments of the searches that found the person.'),
  own('position_query', 'list', 'Positions that the searches asked for.'),
  own('country', 'text', 'Country that was searched.'),
  own('rows', 'integers', 'Input rows that led to the company.'),
  own('fetched_at', 'timestamp', 'When the person was first found, UTC.'),
  own('extra', 'json', 'What the interface does not name, or what could not be kept in its type.'),
];

/** The four columns that follow the input's own in rejects. */
export const rejectColumns: readonly Column[] = rowColumns.slice(0, 4);

/**
 * `Company Name → input_company_name`: snake_case with letters and digits of any script; a header
 * without any is `input_column_3` by its place; of equal names the second is `…_2`.
 */
export function inputColumns(headers: readonly string[]): Column[] {
  const names = headers.map((header, index) => snakeCase(header) || `column_${index + 1}`);
  return makeUnique(names).map((name, index) =>
    own(`input_${name}`, 'text', `Column \`${headers[index]}\` of the input.`),
  );
}

function toColumn({ path, type, description }: ValueField, prefix: string): Column {
  return { name: prefix + path.map(snakeCase).join('_'), path, type, description };
}
