import { type ColumnType, schemaVersion } from '../../records/columns/columns.ts';
import type { TableContract } from './table-contract.ts';

/**
 * The JSON Schema of a record: a line of JSONL with all columns. Columns that it does not know are
 * allowed, so that it still holds when a later version adds some.
 */
export function recordJsonSchema(table: TableContract): object {
  const { name, description, columns, listColumns, filled } = table;
  const properties = columns.map((column) => {
    const { type, ...rest } = jsonTypes[column.type];
    const types = filled.includes(column.name) ? type : [type, 'null'];
    return [column.name, { description: column.description, type: types, ...rest }];
  });
  const ofList = { type: ['string', 'null'], description: 'A column of the list.' };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:dossier:${name}:${schemaVersion}`,
    title: `Dossier ${name}, schema version ${schemaVersion}`,
    description,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(listColumns === 'input_' && { patternProperties: { '^input_': ofList } }),
    ...(listColumns === 'as in the list' && { additionalProperties: ofList }),
    required: columns.map((column) => column.name),
  };
}

interface JsonType {
  readonly type: string;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly items?: JsonType;
}

const jsonTypes: Readonly<Record<ColumnType, JsonType>> = {
  text: { type: 'string' },
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  list: { type: 'array', items: { type: 'string' } },
  integers: { type: 'array', items: { type: 'integer' } },
  json: { type: 'string', contentMediaType: 'application/json' },
};
