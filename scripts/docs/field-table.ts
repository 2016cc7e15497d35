import { z } from 'zod';
import { table } from './markdown.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The fields of an object schema as a table; nested ones follow their parent. */
export function fieldTable(schema: z.ZodType): string {
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input' });
  const definitions = $defs as Record<string, JsonSchema>;
  const shape = shapeOf(whole as JsonSchema, definitions);
  return table(['field', 'type', 'meaning'], fieldRows(shape, '', definitions));
}

/** Nested fields follow their parent with its path before them: `nextGen.web_traffic.summary`. */
function fieldRows(
  schema: JsonSchema,
  prefix: string,
  definitions: Record<string, JsonSchema>,
): string[][] {
  const required = new Set(schema.required);
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(
    ([name, field]) => {
      const path = `${prefix}${name}`;
      const shape = shapeOf(field, definitions);
      const about = required.has(name)
        ? `${field.description} Required.`
        : (field.description ?? '');
      return [
        [`\`${path}\``, typeName(shape), about],
        ...fieldRows(shape, `${path}.`, definitions),
      ];
    },
  );
}

/** The schema behind a reference or behind "this or null". */
function shapeOf(schema: JsonSchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const reference = schema.$ref?.replace('#/$defs/', '');
  if (reference) return definitions[reference] ?? {};
  const alternatives = (schema.anyOf ?? []) as JsonSchema[];
  const filled = alternatives.find(({ type }) => type !== 'null');
  return filled ? shapeOf(filled, definitions) : schema;
}

function typeName(schema: JsonSchema): string {
  if (schema.type === 'array') return `array of ${typeName((schema.items ?? {}) as JsonSchema)}`;
  if (schema.enum) return 'string';
  const names = [schema.type ?? 'any'].flat().filter((name) => name !== 'null');
  return names.join(' or ');
}
