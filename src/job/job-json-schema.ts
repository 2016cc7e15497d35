import { z } from 'zod';
import { Job } from './job-schema.ts';

/** The part of JSON Schema that a job file needs. */
export interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: FieldSchema | false;
}

/** The JSON Schema of a job file, for editors. All of them read draft 7. */
export function jobJsonSchema(): FieldSchema & { $schema: string; title: string } {
  const { $schema, ...schema } = z.toJSONSchema(Job, {
    io: 'input',
    target: 'draft-7',
    // The help of a flag is for the command line.
    override: ({ jsonSchema }) => void delete jsonSchema.flag,
  });
  return {
    $schema: String($schema),
    title: 'Dossier job file',
    ...(schema as FieldSchema),
  };
}

/** Every field with its full key: `limits`, `limits.rate`, `identify[].column`. */
export function jobFields(): { key: string; field: FieldSchema; isRequired: boolean }[] {
  return fieldsBelow('', jobJsonSchema());
}

export function jobKeys(): string[] {
  keys ??= jobFields().map(({ key }) => key);
  return keys;
}

let keys: string[] | undefined;

function fieldsBelow(
  prefix: string,
  schema: FieldSchema,
): { key: string; field: FieldSchema; isRequired: boolean }[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const key = prefix ? `${prefix}.${name}` : name;
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ key, field, isRequired }, ...fieldsBelow(key, field)];
  });
  const alternatives = (schema.anyOf ?? []).flatMap((option) => fieldsBelow(prefix, option));
  const items = schema.items ? fieldsBelow(`${prefix}[]`, schema.items) : [];
  return [...own, ...alternatives, ...items];
}
