import { departmentNames, seniorityNames } from '../../src/core/contract/reference.ts';
import { type FieldSchema, type FileField, jobFields } from '../../src/job/job-schema.ts';

/** docs/job-file.md, from the schema that also checks job files. */
export function jobFileReference(): string {
  const fields = withoutTwins(jobFields());
  const roots = fields.filter(({ key }) => !/[.[]/.test(key));
  const sections = roots
    .map((root) => ({ root, inside: fields.filter(({ key }) => isInside(key, root.key)) }))
    .filter(({ inside }) => inside.length > 0)
    .map(({ root, inside }) =>
      [`## ${root.key}`, root.field.description ?? '', table(inside)].join('\n\n'),
    );
  return `${[introduction, table(roots), ...sections, names].join('\n\n')}\n`;
}

const introduction = `# The job file

<!-- Written by \`npm run docs\` from src/job/job-schema.ts; edit that instead. -->

A job is a YAML file that says what to read, what to ask and where the results go. \`dossier init\`
drafts one from a list, and \`dossier check\` tests it. Editors complete keys and mark mistakes with
[its JSON Schema](cli.md#dossier-schema).

The least that a job needs:

\`\`\`yaml
name: lead-list
input:
  path: leads.csv
\`\`\`

- **Paths** in a job are relative to the job file. \`-\` as input is standard input.
- **Variables**: \`\${NAME}\` is read from the environment, \`\${NAME:-default}\` has a default, \`$$\` is a
  dollar sign. An unset or empty variable is an error, never an empty text.
- **Precedence**: a flag, then the environment (\`DOSSIER_URL\`, \`DOSSIER_API_KEY\`, \`DOSSIER_SHARE\`),
  then the job file, then the default. A job's own \`ledger\` comes before \`DOSSIER_LEDGER\`.
- **The key** never stands in a job file. It is read from an environment variable or a file.
- **Times** have a unit: \`500ms\`, \`30s\`, \`15m\`, \`2h\`, \`30d\`, \`1w\`, or a sum such as \`1h 30m\`.
- **Sizes**, too: \`500KB\`, \`256MB\`, \`1.5GB\`; a KB is 1,000 bytes.
- **Quotes** keep text as it is: YAML reads an unquoted \`0123\` as the number 123.
- **Unknown keys** are errors, and every problem is reported at once with line and column. A wrong
  job ends with exit code 78 before anything is called.

## All keys`;

const names = `## Seniorities and departments

Names may be written in any case, and a part is enough where only one name has it (\`VP\`).

${nameTable('Seniority', seniorityNames)}

${nameTable('Department', departmentNames)}`;

/** Where one or a list may be given, each item has the keys of the one. */
export function withoutTwins(fields: readonly FileField[]): FileField[] {
  const keys = new Set(fields.map(({ key }) => key));
  return fields.filter(({ key }) => !key.includes('[]') || !keys.has(key.replace('[]', '')));
}

function isInside(key: string, root: string): boolean {
  return key.startsWith(`${root}.`) || key.startsWith(`${root}[`);
}

export function table(fields: readonly FileField[]): string {
  const rows = fields.map(
    ({ key, field, isRequired }) =>
      `| \`${key}\` | ${cell(valuesOf(field))} | ${defaultOf(field, isRequired)} | ${cell(field.description ?? '')} |`,
  );
  return ['| key | value | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function nameTable(title: string, table: Readonly<Record<string, string>>): string {
  const rows = Object.entries(table).map(([id, name]) => `| ${id} | ${name} |`);
  return [`| id | ${title} |`, '| --- | --- |', ...rows].join('\n');
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

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
