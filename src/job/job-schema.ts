import { z } from 'zod';
import { defaultCountry } from '../contract/countries.ts';
import { departmentNames, seniorityNames } from '../contract/reference.ts';
import { listNames, referenceId } from './reference-names.ts';
import { choice, group, listOf, text } from './schema/fields.ts';
import {
  Country,
  Identify,
  Input,
  Ledger,
  People,
  Reference,
  Reuse,
} from './schema/input-fields.ts';
import { Changes, Expect, Heartbeat, Notify, Output } from './schema/output-fields.ts';
import { Budget, Limits, Service } from './schema/service-fields.ts';

/** A job file. The root has no `id` in its meta, which would wrap the JSON Schema in a $ref. */
export const Job = group({
  name: text('a name')
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of a-z, 0-9 and -, at most 64 long')
    .describe('Names the job in the ledger and its output folder: a-z, 0-9 and -.'),
  service: Service.prefault({}).describe('The service that is asked, and the key to it.'),
  input: Input.describe('The list of companies.'),
  identify: listOf(Identify, 'columns')
    .optional()
    .describe('Columns tried in this order, the next only after a miss. Absent: detected.'),
  country: Country.prefault(defaultCountry).describe(
    'Country asked about, or the column that tells it. It is part of every call.',
  ),
  people: People.optional().describe(
    'People to search for in each company found, one search for each combination. Absent: none. `{}`: everybody.',
  ),
  reference: Reference.prefault({}).describe('Your own names for seniorities and departments.'),
  onMismatch: choice(['keep', 'reject'])
    .default('keep')
    .describe(
      'What to do with an answer that does not carry the identifier that was asked for: `keep` it, marked mismatch, or `reject` the row.',
    ),
  limits: Limits.prefault({}).describe('How fast, how long and how often.'),
  budget: Budget.prefault({}).describe(
    'Hard limits in requests that may be charged, attempts included; throttled and refused ones are not. A run stops there and can be resumed. Sample data never counts.',
  ),
  reuse: Reuse.prefault({}).describe('How long answers in the ledger stay good.'),
  output: Output.prefault({}).describe(
    'What is written, and where: one place, or a list of places, each with formats, columns and order of its own.',
  ),
  expect: Expect.prefault({}).describe(
    'What a good result looks like. Where one is not met the run ends with 4, and its files go to `held-<run>` inside the output folder until `dossier export --accept`. A try with --limit has none.',
  ),
  changes: Changes.prefault({}).describe('What counts as a change from one run to the next.'),
  notify: Notify.optional().describe('Whom to tell how a run ended. Absent: nobody.'),
  heartbeat: Heartbeat.optional(),
  ledger: Ledger.prefault({}).describe(
    'SQLite file that keeps every answer: its path, relative to the job file, or the keys below. `output/ledger.db` in the working directory when absent.',
  ),
}).superRefine(checkNames, { when: () => true });

export type Job = z.output<typeof Job>;
export type JobInput = z.input<typeof Job>;

const Names = z.record(z.string(), z.string()).catch({});

/** The parts of a job that are checked together. A part of the wrong type is left out: zod reports it. */
const Parts = z.object({
  people: z.record(z.string(), z.unknown()).catch({}),
  reference: z
    .object({ seniority: Names, department: Names })
    .catch({ seniority: {}, department: {} }),
});

/** Checks names of people by those of the job, even when fields are wrong: all problems are reported together. */
function checkNames(job: unknown, problems: z.core.$RefinementCtx): void {
  const parts = Parts.safeParse(job);
  if (!parts.success) return;
  const { people, reference } = parts.data;
  for (const [field, known] of Object.entries({
    seniority: { ...seniorityNames, ...reference.seniority },
    department: { ...departmentNames, ...reference.department },
  })) {
    const wanted = people[field];
    const isList = Array.isArray(wanted);
    for (const [index, given] of (isList ? wanted : [wanted]).entries()) {
      if (typeof given !== 'string' || given === '' || referenceId(given, known)) continue;
      problems.addIssue({
        code: 'custom',
        path: ['people', field, ...(isList ? [index] : [])],
        message: `a name or id out of ${listNames(known)}`,
        params: { choices: Object.values(known) },
      });
    }
  }
}
