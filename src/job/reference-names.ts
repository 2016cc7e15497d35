import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import type { Job } from './job-schema.ts';

/**
 * The id of a seniority or department that a job gives by id or name. Case and spaces do not
 * matter. A part of a name is enough when only one name has it: `VP` for `VP / Director`.
 */
export function referenceId(given: string | number, table: NameTable): string | undefined {
  const wanted = fold(String(given));
  if (Object.hasOwn(table, wanted)) return wanted;
  const entries = Object.entries(table);
  const whole = entries.filter(([, name]) => fold(name) === wanted);
  const found = whole.length > 0 ? whole : entries.filter(([, name]) => partsOf(name).has(wanted));
  // A name of two ids is refused: a search with the wrong id would be charged.
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** `1 Board Member / Director, 2 Owner / Founder, …` */
export function listNames(table: NameTable): string {
  return Object.entries(table)
    .map(([id, name]) => `${id} ${name}`)
    .join(', ');
}

function partsOf(name: string): Set<string> {
  return new Set(name.split('/').map(fold));
}

function fold(name: string): string {
  return name.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
}

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
