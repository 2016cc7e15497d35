import { z } from 'zod';

export type FieldType = 'text' | 'integer' | 'decimal' | 'boolean' | 'list' | 'json';

/** A field that becomes one column. */
export interface ValueField {
  readonly path: readonly string[];
  readonly type: FieldType;
  readonly description: string;
  /** Position among the values of the whole answer. */
  readonly index: number;
}

/** An object of the interface: its fields by name, some of them objects again. */
export interface ObjectFields {
  readonly path: readonly string[];
  readonly byKey: ReadonlyMap<string, ValueField | ObjectFields>;
  /** Every value below this object, in the order of the interface. */
  readonly values: readonly ValueField[];
}

/** The fields of a contract schema: objects are opened, everything else is one value. */
export function fieldsOf(schema: z.ZodObject): ObjectFields {
  return openObject(schema, [], { next: 0 });
}

export function isObjectFields(field: ValueField | ObjectFields): field is ObjectFields {
  return 'byKey' in field;
}

function openObject(
  schema: z.ZodObject,
  path: readonly string[],
  counter: { next: number },
): ObjectFields {
  const byKey = new Map<string, ValueField | ObjectFields>();
  for (const [key, outer] of Object.entries(schema.shape)) {
    const inner = unwrap(outer);
    const fieldPath = [...path, key];
    if (inner instanceof z.ZodObject) {
      byKey.set(key, openObject(inner, fieldPath, counter));
      continue;
    }
    byKey.set(key, {
      path: fieldPath,
      type: typeOf(inner, fieldPath),
      description: z.globalRegistry.get(outer)?.description ?? '',
      index: counter.next++,
    });
  }
  const values = [...byKey.values()].flatMap((field) =>
    isObjectFields(field) ? field.values : [field],
  );
  return { path, byKey, values };
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? unwrap(schema.unwrap()) : schema;
}

function typeOf(schema: z.core.$ZodType, path: readonly string[]): FieldType {
  if (schema instanceof z.ZodString) return 'text';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'integer' : 'decimal';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodArray) return 'list';
  if (schema instanceof z.ZodRecord) return 'json';
  if (schema instanceof z.ZodUnion) {
    // Text holds whatever arrives, but a flag that people filter by stays one.
    const types = schema.options.map((option) => typeOf(unwrap(option), path));
    return types.includes('boolean') ? 'boolean' : 'text';
  }
  throw new Error(`No column type for ${path.join('.')}; add one to interface-fields.ts`);
}
