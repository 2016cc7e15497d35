import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import type { Job } from './job-schema.ts';
import { referenceId } from './reference-names.ts';

/** One people search. A filter that is undefined is not sent. */
export interface PeopleSearch {
  readonly seniority: string | undefined;
  readonly department: string | undefined;
  readonly position: string | undefined;
}

/** One search for each combination of filters. A filter given by id and by name counts once. */
export function listSearches(
  people: NonNullable<Job['people']>,
  reference: ReferenceNames,
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
