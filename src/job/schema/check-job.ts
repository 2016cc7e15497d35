import { z } from 'zod';
import { departmentNames, type NameTable, seniorityNames } from '../../contract/reference.ts';
import { canInclude, includableColumns } from '../../records/changes/included-columns.ts';
import {
  canChoose,
  choosableColumns,
  expectedColumn,
} from '../../records/columns/choose-columns.ts';
import { listNames, referenceId } from '../reference-names.ts';

const Names = z.record(z.string(), z.string()).catch({});

/** A place may be a mistake altogether, which leaves the others to be checked. */
const PlacePart = z.object({ columns: z.unknown() }).catch({ columns: undefined });

/** The parts of a job that are checked. A part of the wrong type is left out: zod reports it. */
const Parts = z.object({
  service: z.object({ key: z.string(), keyFile: z.string() }).optional().catch(undefined),
  input: z
    .object({ header: z.literal(false), headerRow: z.number() })
    .optional()
    .catch(undefined),
  people: z.record(z.string(), z.unknown()).optional().catch(undefined),
  output: z
    .union([z.array(PlacePart), PlacePart])
    .optional()
    .catch(undefined),
  changes: z.object({ include: z.unknown() }).optional().catch(undefined),
  reference: z.object({ seniority: Names, department: Names }).partial().catch({}),
});

interface Problems {
  addIssue(issue: {
    code: 'custom';
    path: (string | number)[];
    message: string;
    params: { choices: readonly string[] };
  }): void;
}

type Report = (path: (string | number)[], message: string, choices?: readonly string[]) => void;

/**
 * Checks that need more than one field. They run even when single fields are wrong, so that all
 * problems are reported together.
 */
export function checkJob(job: unknown, problems: Problems): void {
  const parts = Parts.safeParse(job);
  if (!parts.success) return;
  const { service, input, people, output, changes, reference } = parts.data;
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
  checkColumns(changes?.include, ['changes', 'include'], compared, report);
  for (const [index, place] of entriesOf(output)) {
    const path = index === undefined ? ['output'] : ['output', index];
    checkColumns(
      (place as z.output<typeof PlacePart> | undefined)?.columns,
      [...path, 'columns'],
      written,
      report,
    );
  }
}

interface ColumnCheck {
  readonly isGood: (pattern: string) => boolean;
  readonly expected: string;
  readonly known: readonly string[];
}

const compared: ColumnCheck = {
  isGood: canInclude,
  expected:
    'a column of companies or people that can be compared, or a pattern such as company_next_gen_*',
  known: includableColumns,
};
const written: ColumnCheck = {
  isGood: canChoose,
  expected: expectedColumn,
  known: choosableColumns,
};

/** A pattern that names no column would silently compare nothing, or leave out what was wanted. */
function checkColumns(
  wanted: unknown,
  path: (string | number)[],
  { isGood, expected, known }: ColumnCheck,
  report: Report,
): void {
  for (const [index, given] of entriesOf(wanted)) {
    if (typeof given !== 'string' || given === '' || isGood(given)) continue;
    report(index === undefined ? path : [...path, index], expected, known);
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
