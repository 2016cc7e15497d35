import { z } from 'zod';
import type { ColumnType, ValueColumn } from '../../records/columns/columns.ts';
import { snakeCase } from '../../records/columns/snake-case.ts';
import { jsonText } from '../../runtime/json/json-text.ts';
import { Manifest } from '../manifest.ts';

/** The manifest as a table: a column for each field, `run.startedAt → run_started_at`; lists are JSON. */
export const runColumns: readonly ValueColumn<Manifest>[] = columnsBelow(
  z.toJSONSchema(Manifest) as Field,
  [],
);

/** The part of JSON Schema that a manifest needs. */
interface Field {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Field>>;
  readonly anyOf?: readonly Field[];
}

function columnsBelow({ properties = {} }: Field, path: readonly string[]) {
  return Object.entries(properties).flatMap(([key, field]): ValueColumn<Manifest>[] => {
    const here = [...path, key];
    if (field.properties) return columnsBelow(field, here);
    const type = typeOf(field, here);
    return [
      {
        ...{ name: here.map(snakeCase).join('_'), path: here, type },
        description: field.description ?? '',
        value: (manifest) => cellAt(manifest, here),
      },
    ];
  });
}

function typeOf(field: Field, path: readonly string[]): ColumnType {
  const filled = field.anyOf?.find(({ type }) => type !== 'null') ?? field;
  if (filled.format === 'date-time') return 'timestamp';
  const [type] = [filled.type].flat().filter((word) => word !== 'null');
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
    case 'boolean':
      return type;
    case 'array':
      return 'json';
    default:
      throw new Error(`no column type for ${path.join('.')} of the manifest`);
  }
}

/** A part that a manifest may lack, such as `spend`, gives null. */
function cellAt(manifest: Manifest, path: readonly string[]) {
  const value = path.reduce<unknown>(
    (inside, key) => (inside as Record<string, unknown> | undefined)?.[key],
    manifest,
  );
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? jsonText(value) : (value as string | number | boolean);
}
