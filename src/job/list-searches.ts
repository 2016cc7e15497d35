import type { Job } from './job-schema.ts';
import { type NameTable, referenceId } from './reference-names.ts';

/** One question about the people of a company; what is undefined is not asked for. */
export interface PeopleSearch {
  readonly seniority: string | undefined;
  readonly department: string | undefined;
  readonly position: string | undefined;
}

/** One search for each combination. What is named twice, by id and by name, is asked once. */
export function listSearches(
  people: NonNullable<Job['people']>,
  reference: { seniority: NameTable; department: NameTable },
): PeopleSearch[] {
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
