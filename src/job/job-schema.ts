import { z } from 'zod';
import { defaultCountry } from '../core/contract/countries.ts';
import {
  departmentNames,
  type NameTable,
  type ReferenceNames,
  seniorityNames,
} from '../core/contract/reference.ts';
import type { PeopleTerms } from '../core/rules/people-search.ts';
import { group, listOf, text } from './schema/fields.ts';
import {
  Country,
  Identify,
  Input,
  Ledger,
  Names,
  People,
  Reference,
  Retain,
  Reuse,
  registerPath,
  SkipCancelled,
  Suppress,
} from './schema/input-fields.ts';
import { Changes, Expect, Heartbeat, Notify, Output } from './schema/output-fields.ts';
import { Budget, Limits, Service } from './schema/service-fields.ts';
import { serviceName } from './schema/services-fields.ts';

/** Its meta has no `id`, because zod would then wrap the whole JSON Schema in a $ref. */
export const Job = group({
  name: text('a name')
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of a-z, 0-9 and -, at most 64 characters')
    .describe('Name of the job in the ledger and of its output folder: a-z, 0-9 and -.'),
  service: z
    .union(
      [Service, serviceName, listOf(serviceName, 'names of services')],
      'the name of a service in services.yaml, a list of names, or keys with values',
    )
    .prefault({})
    .describe(
      'The service and its key, as below, or its name in services.yaml: `service: main`. docs/services.md says where that file stands.',
    ),
  input: Input.describe('The list of companies.'),
  identify: listOf(Identify, 'columns')
    .refine(
      (columns) => columns.filter(({ as }) => as === 'name').length < 2,
      'one column of names',
    )
    .optional()
    .describe(
      'Columns with identifiers, in the order in which they are tried. The next column is tried only after a miss. Default: detected; with a register, also a column that is called like one of company names.',
    ),
  names: Names.prefault({}).describe('Rules for company names.'),
  register: registerPath.optional(),
  skipCancelled: SkipCancelled.optional(),
  country: Country.prefault(defaultCountry).describe(
    'Country of the companies, or the column that has it. Every call includes the country.',
  ),
  people: People.optional().describe(
    'People to search for in each company, with one search per combination of seniority, department and position. Default: no people. `{}`: everybody.',
  ),
  reference: Reference.prefault({}).describe('Your own names for seniorities and departments.'),
  limits: Limits.prefault({}).describe('Rate, timeouts and attempts.'),
  budget: Budget.prefault({}).describe(
    'Limits on the number of calls, retries included; docs/operations.md lists the free ones. A run stops at the limit and can be resumed. Sample data never counts.',
  ),
  reuse: Reuse.prefault({}).describe('How long answers in the ledger are reused.'),
  suppress: Suppress.optional(),
  retain: Retain.prefault({}).describe(
    'Answers older than this are left out of every result from then on, even if `reuse` is longer. A cleanup, at most once a week, deletes them from the ledger.',
  ),
  output: Output.prefault({}).describe(
    'One destination for the results, or a list of them. Each has its own formats, columns and order of columns.',
  ),
  expect: Expect.prefault({}).describe(
    'Conditions for a good result. If one is not met, the run ends with exit code 4, and its files stay in `held-<run>` inside the output folder until `dossier export --accept`. The conditions do not apply with `--limit`.',
  ),
  changes: Changes.prefault({}).describe(
    'Columns to compare between runs. A different value counts as a change.',
  ),
  notify: Notify.optional().describe('Messages to send when a run ends. Default: none.'),
  heartbeat: Heartbeat.optional(),
  ledger: Ledger.prefault({}).describe(
    'SQLite file that stores all answers: its path, relative to the job file, or the keys below. Default: the ledger of the user, which serves all folders.',
  ),
}).superRefine(checkNames);

export type Job = z.output<typeof Job>;
export type JobInput = z.input<typeof Job>;

export function referenceNames(own: z.output<typeof Reference>): ReferenceNames {
  return {
    seniority: { ...seniorityNames, ...own.seniority },
    department: { ...departmentNames, ...own.department },
  };
}

function checkNames(
  job: { people?: z.output<typeof People> | undefined; reference: z.output<typeof Reference> },
  problems: z.core.$RefinementCtx,
) {
  const names = referenceNames(job.reference);
  for (const field of ['seniority', 'department'] as const) {
    const wanted = job.people?.[field];
    const known = names[field];
    for (const [index, given] of [wanted ?? []].flat().entries()) {
      if (typeof given !== 'string' || referenceId(given, known)) continue;
      problems.addIssue({
        code: 'custom',
        path: ['people', field, ...(Array.isArray(wanted) ? [index] : [])],
        message: `one of these names or ids: ${listNames(known)}`,
        params: { choices: Object.values(known) },
      });
    }
  }
}

/** A unique part of a name is enough: `VP` for `VP / Director`. */
export function referenceId(given: string | number, table: NameTable): string | undefined {
  const wanted = fold(String(given));
  if (Object.hasOwn(table, wanted)) return wanted;
  const entries = Object.entries(table);
  const whole = entries.filter(([, name]) => fold(name) === wanted);
  const found = whole.length > 0 ? whole : entries.filter(([, name]) => partsOf(name).has(wanted));
  // Refuses an ambiguous name, because a search with the wrong id is charged.
  return found.length === 1 ? found[0]?.[0] : undefined;
}

function listNames(table: NameTable) {
  return Object.entries(table)
    .map(([id, name]) => `${id} ${name}`)
    .join(', ');
}

function partsOf(name: string): Set<string> {
  return new Set(name.split('/').map(fold));
}

function fold(name: string) {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

export function listSearches(
  people: NonNullable<Job['people']>,
  reference: ReferenceNames,
): PeopleTerms['searches'] {
  const seniorities = idsOf(people.seniority, reference.seniority);
  const departments = idsOf(people.department, reference.department);
  const positions = orAny([people.position ?? []].flat());
  return seniorities.flatMap((seniority) =>
    departments.flatMap((department) =>
      positions.map((position) => ({ seniority, department, position })),
    ),
  );
}

function idsOf(
  wanted: string | number | (string | number)[] | undefined,
  table: NameTable,
): (string | undefined)[] {
  return orAny([wanted ?? []].flat().flatMap((given) => referenceId(given, table) ?? []));
}

function orAny(values: string[]): (string | undefined)[] {
  return values.length === 0 ? [undefined] : [...new Set(values)];
}

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

export function jobJsonSchema(): FileSchema {
  return jsonSchemaOf(Job, 'Dossier job file');
}

type FileSchema = FieldSchema & { $schema: string; title: string };

export function jsonSchemaOf(file: z.ZodType, title: string): FileSchema {
  const { $schema, ...schema } = z.toJSONSchema(file, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => void delete jsonSchema.flag,
  });
  return { $schema: String($schema), title, ...(schema as FieldSchema) };
}

export function jobFields(): FileField[] {
  return fieldsBelow('', jobJsonSchema());
}

export type FileField = { key: string; field: FieldSchema; isRequired: boolean };

export function jobKeys(): string[] {
  keys ??= jobFields().map(({ key }) => key);
  return keys;
}

let keys: string[] | undefined;

/** `limits`, `limits.rate`, `identify[].column`, `services.*.url`, … */
export function fieldsBelow(prefix: string, schema: FieldSchema): FileField[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const key = prefix ? `${prefix}.${name}` : name;
    const isRequired = schema.required?.includes(name) ?? false;
    return [{ key, field, isRequired }, ...fieldsBelow(key, field)];
  });
  const alternatives = (schema.anyOf ?? []).flatMap((option) => fieldsBelow(prefix, option));
  const items = schema.items ? fieldsBelow(`${prefix}[]`, schema.items) : [];
  const named = schema.additionalProperties || undefined;
  const others = named?.properties ? fieldsBelow(`${prefix}.*`, named) : [];
  return [...own, ...alternatives, ...items, ...others];
}
