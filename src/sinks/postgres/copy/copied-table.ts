import { changeColumns } from '../../../records/columns/change-columns.ts';
import { type Column, type FlatRecord, positionOf } from '../../../records/columns/columns.ts';
import { peopleColumns } from '../../../records/columns/people-columns.ts';
import { companiesColumns } from '../../../records/flatten-row.ts';
import type { RecordBatch } from '../../../records/record-batch.ts';
import { tables } from '../../../records/tables.ts';
import type { EncodedLines } from '../../lines/encode-lines.ts';
import { warehouseTables } from '../../tables/warehouse-tables.ts';
import { encodeCopy } from './encode-copy.ts';

/** The tables whose records are copied: rejects are some of the companies, with fewer columns. */
export const copiedTables = ['companies', 'people', 'changes'] as const;
export type CopiedTable = (typeof copiedTables)[number];

/** The columns of a table that are copied; what is the same in all records is not among them. */
export function copiedColumns(table: CopiedTable, headers: readonly string[]): readonly Column[] {
  switch (table) {
    case 'companies':
      return companiesColumns(headers);
    case 'people':
      return [ownOf('people', 'person_key'), ...peopleColumns];
    case 'changes':
      return [ownOf('changes', 'change_number'), ...changeColumns];
  }
}

/** The name under which a batch has its lines for a table. */
export function copyName(table: CopiedTable): string {
  return `copy of ${table}`;
}

/** Gives the function that encodes batches; changes are counted, so theirs come in order and to one function. */
export function openCopyEncoder(
  table: CopiedTable,
  headers: readonly string[],
): (batch: RecordBatch) => EncodedLines {
  const encode = encodeCopy(copiedColumns(table, headers));
  switch (table) {
    case 'companies':
      return (batch) => encode(tables.companies.records(batch));
    case 'people':
      return (batch) => encode(withKeys(tables.people.records(batch)));
    case 'changes': {
      let number = 0;
      return (batch) =>
        encode(
          tables.changes.records(batch).map((record) => {
            number += 1;
            return [number, ...record];
          }),
        );
    }
  }
}

const keyPositions = ['company_id', 'country'].map((name) => positionOf(peopleColumns, name));
const personIdPosition = positionOf(peopleColumns, 'person_id');

/** The people of a company in a country stand in one batch, one after the other. */
function withKeys(people: readonly FlatRecord[]): FlatRecord[] {
  let withoutId = 0;
  return people.map((person, index) => {
    const before = people[index - 1];
    const isOfSame = keyPositions.every((position) => person[position] === before?.[position]);
    if (!isOfSame) withoutId = 0;
    const id = person[personIdPosition];
    if (typeof id === 'string') return [id.startsWith('#') ? `#${id}` : id, ...person];
    withoutId += 1;
    return [`#${withoutId}`, ...person];
  });
}

function ownOf(table: CopiedTable, name: string): Column {
  const { columns } = warehouseTables[table];
  return columns[positionOf(columns, name)] as Column;
}
