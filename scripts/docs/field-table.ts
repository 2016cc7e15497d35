import { z } from 'zod';
import { table } from './markdown.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface FieldTableOptions {
  /** Marks required fields. Only requests need it: what Dossier prints is always complete. */
  readonly isRequest?: boolean;
}

/** The fields of an object schema as a table; those of nested objects and lists follow. */
export function fieldTable(schema: z.ZodType, options: FieldTableOptions = {}): string {
  const rows = fieldRows(schema, options).map(([path, ...others]) => [`\`${path}\``, ...others]);
  return table(['field', 'type', 'meaning'], rows);
}

type FieldRow = readonly [path: string, type: string, about: string];

export function fieldRows(schema: z.ZodType, options: FieldTableOptions = {}): FieldRow[] {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input' });
  const walk = { definitions: $defs as Record<string, JsonSchema>, ...options };
  return rowsOf(shapeOf(whole as JsonSchema, walk), '', walk);
}

interface Walk extends FieldTableOptions {
  readonly definitions: Record<string, JsonSchema>;
}

/** `nextGen.web_traffic.summary`, `files[].name` */
function rowsOf(schema: JsonSchema, prefix: string, walk: Walk): FieldRow[] {
  const required = new Set(walk.isRequest ? schema.required : []);
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(
    ([name, field]) => {
      const path = `${prefix}${name}`;
      const shape = shapeOf(field, walk);
      const about = field.description ?? shape.description ?? '';
      const isNullable = !walk.isRequest && mayBeNull(field);
      return [
        [
          path,
          typeName(shape, walk) + (isNullable ? ' or null' : ''),
          required.has(name) ? `${about} Required.` : about,
        ],
        ...rowsOf(shape, `${path}.`, walk),
        ...rowsOf(itemsOf(shape, walk), `${path}[].`, walk),
      ];
    },
  );
}

/** The schema behind a reference or behind "this or null". */
function shapeOf(schema: JsonSchema, walk: Walk): JsonSchema {
  const reference = schema.$ref?.replace('#/$defs/', '');
  if (reference) return walk.definitions[reference] ?? {};
  const alternatives = (schema.anyOf ?? []) as JsonSchema[];
  const filled = alternatives.find(({ type }) => type !== 'null');
  return filled ? shapeOf(filled, walk) : schema;
}

function itemsOf({ type, items }: JsonSchema, walk: Walk): JsonSchema {
  return type === 'array' ? shapeOf((items ?? {}) as JsonSchema, walk) : {};
}

function mayBeNull({ type, anyOf = [] }: JsonSchema): boolean {
  const alternatives = anyOf as JsonSchema[];
  return [type].flat().includes('null') || alternatives.some((other) => other.type === 'null');
}

function typeName(schema: JsonSchema, walk: Walk): string {
  if (schema.type === 'array') return `array of ${typeName(itemsOf(schema, walk), walk)}`;
  if (schema.enum && !walk.isRequest) {
    return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  }
  const names = [schema.type ?? 'any'].flat().filter((name) => name !== 'null');
  return names.join(' or ');
}
