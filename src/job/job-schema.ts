import { z } from 'zod';
import { defaultCountry } from '../contract/countries.ts';
import { departmentNames, type NameTable, seniorityNames } from '../contract/reference.ts';
import { listNames, referenceId } from './reference-names.ts';
import { Expect } from './schema/expectations.ts';
import { choice, group, listOf, text } from './schema/fields.ts';
import {
  Country,
  defaultLedger,
  Identify,
  Input,
  Ledger,
  People,
  Reference,
  Reuse,
} from './schema/input-fields.ts';
import { Changes, Heartbeat, Notify, Output } from './schema/output-fields.ts';
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
  country: Country.default(defaultCountry).describe(
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
  ledger: Ledger.default(defaultLedger).describe(
    'SQLite file that keeps every answer: its path, relative to the job file, or the keys below. `output/ledger.db` in the working directory when absent.',
  ),
}).superRefine(checkJob, { when: () => true });

export type Job = z.output<typeof Job>;
export type JobInput = z.input<typeof Job>;

const Names = z.record(z.string(), z.string()).catch({});

/** The parts of a job that are checked. A part of the wrong type is left out: zod reports it. */
const Parts = z.object({
  service: z.object({ key: z.string(), keyFile: z.string() }).optional().catch(undefined),
  input: z
    .object({ header: z.literal(false), headerRow: z.number() })
    .optional()
    .catch(undefined),
  people: z.record(z.string(), z.unknown()).optional().catch(undefined),
  reference: z.object({ seniority: Names, department: Names }).partial().catch({}),
});

type Report = (path: (string | number)[], message: string, choices?: readonly string[]) => void;

/**
 * Checks that need more than one field. They run even when single fields are wrong, so that all
 * problems are reported together.
 */
function checkJob(job: unknown, problems: z.core.$RefinementCtx): void {
  const parts = Parts.safeParse(job);
  if (!parts.success) return;
  const { service, input, people, reference } = parts.data;
  const report: Report = (path, message, choices = []) =>
    problems.addIssue({ code: 'custom', path, message, params: { choices } });

  if (service) report(['service', 'keyFile'], 'either key or keyFile, not both');
  if (input) report(['input', 'headerRow'], 'no headerRow where header says that there is none');
  for (const [field, known] of Object.entries({
    seniority: { ...seniorityNames, ...reference.seniority },
    department: { ...departmentNames, ...reference.department },
  })) {
    const wanted = people?.[field];
    checkNames(wanted, ['people', field], known, report);
  }
}

function checkNames(wanted: unknown, path: string[], known: NameTable, report: Report): void {
  for (const [index, given] of entriesOf(wanted)) {
    if (typeof given !== 'string' || given === '' || referenceId(given, known)) continue;
    report(
      index === undefined ? path : [...path, index],
      `a name or id out of ${listNames(known)}`,
      Object.values(known),
    );
  }
}

/** The values of a field that takes one or many, each with its place in the list. */
function entriesOf(wanted: unknown): (readonly [number | undefined, unknown])[] {
  return Array.isArray(wanted) ? [...wanted.entries()] : [[undefined, wanted]];
}
