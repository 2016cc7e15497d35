import type { SchemaElement } from 'hyparquet-writer';
import type { Column, ColumnType } from '../../records/columns/columns.ts';

type Leaf = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const text: Leaf = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
};
const int64: Leaf = { type: 'INT64' };

const leaves: Record<Exclude<ColumnType, 'list' | 'integers'>, Leaf> = {
  text,
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON', logical_type: { type: 'JSON' } },
  integer: int64,
  decimal: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** The columns as Parquet's flat list of a tree: the root, then each column, every one nullable. */
export function schemaElements(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type }: Column): SchemaElement[] {
  if (type === 'list') return listOf(name, text);
  if (type === 'integers') return listOf(name, int64);
  return [{ name, repetition_type: 'OPTIONAL', ...leaves[type] }];
}

function listOf(name: string, element: Leaf): SchemaElement[] {
  return [
    {
      name,
      repetition_type: 'OPTIONAL',
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
      num_children: 1,
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...element },
  ];
}
