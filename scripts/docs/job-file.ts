import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { type FieldSchema, type FileField, jobFields } from '../../src/job/job-schema.ts';
import { fillIn, table } from './markdown.ts';

/** docs/job-file.md, from the schema that also checks job files. */
export function jobFilePage(): string {
  const fields = withoutTwins(jobFields());
  const roots = fields.filter(({ key }) => !/[.[]/.test(key));
  const sections = roots
    .map((root) => ({ root, inside: fields.filter(({ key }) => isInside(key, root.key)) }))
    .filter(({ inside }) => inside.length > 0)
    .map(({ root, inside }) =>
      [`## ${root.key}`, root.field.description ?? '', fieldsTable(inside)].join('\n\n'),
    );
  return fillIn('docs/job-file.md', {
    keys: [fieldsTable(roots), ...sections].join('\n\n'),
    seniorities: table(['id', 'Seniority'], Object.entries(seniorityNames)),
    departments: table(['id', 'Department'], Object.entries(departmentNames)),
  });
}

/** Where one or a list may be given, each item has the keys of the one. */
export function withoutTwins(fields: readonly FileField[]): FileField[] {
  const keys = new Set(fields.map(({ key }) => key));
  return fields.filter(({ key }) => !key.includes('[]') || !keys.has(key.replace('[]', '')));
}

function isInside(key: string, root: string): boolean {
  return key.startsWith(`${root}.`) || key.startsWith(`${root}[`);
}

export function fieldsTable(fields: readonly FileField[]): string {
  const rows = fields.map(({ key, field, isRequired }) => [
    `\`${key}\``,
    valuesOf(field),
    defaultOf(field, isRequired),
    field.description ?? '',
  ]);
  return table(['key', 'value', 'default', 'meaning'], rows);
}

function defaultOf(field: FieldSchema, isRequired: boolean): string {
  if (isRequired) return '*required*';
  const values = [field.default ?? []].flat();
  return values.length === 0 || typeof values[0] === 'object' ? '' : `\`${values.join(', ')}\``;
}

/** `csv, jsonl`, `1 to 256`, `text`: what may be written, in a few words. */
function valuesOf(field: FieldSchema): string {
  if (field.anyOf) {
    const values = [...new Set(field.anyOf.map(valuesOf))];
    const single = values.filter((value) => !/^list(?: of |$)/.test(value));
    return `${single.join(' or ')}${single.length < values.length ? '; one or a list' : ''}`;
  }
  if (field.const !== undefined) return `\`${field.const}\``;
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(', ');
  if (field.pattern?.includes('ms|')) return 'a time';
  if (field.pattern?.includes('MB|')) return 'a size';
  switch (field.type) {
    case 'integer':
    case 'number':
      return rangeOf(field);
    case 'boolean':
      return '`true`, `false`';
    case 'array':
      return field.items?.type === 'object' ? 'list' : `list of ${valuesOf(field.items ?? {})}`;
    case 'object':
      return field.additionalProperties && !field.additionalProperties.properties
        ? 'names with values'
        : 'keys below';
    default:
      return 'text';
  }
}

function rangeOf({ minimum, maximum }: FieldSchema): string {
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `${minimum} or more`
    : `${minimum} to ${maximum}`;
}
