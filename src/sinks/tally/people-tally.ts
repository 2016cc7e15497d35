import { type Cell, type FlatRecord, positionOf } from '../../records/columns/columns.ts';
import { peopleColumns } from '../../records/columns/people-columns.ts';
import { type Counted, openCounter } from './counter.ts';

/** What the people of a run are like, as plain JSON. */
export interface PeopleTally {
  readonly people: number;
  /** By the searches that found them; a person found by two searches counts for both. */
  readonly seniorities: Counted;
  readonly departments: Counted;
  /** `has_email`, `has_mobile` and so on: how many can be reached in that way. */
  readonly channels: Counted;
}

export interface PeopleTallying {
  add(person: FlatRecord): void;
  merge(other: PeopleTally): void;
  facts(): PeopleTally;
}

const seniorityPosition = positionOf(peopleColumns, 'seniority');
const departmentPosition = positionOf(peopleColumns, 'department');
const channels = peopleColumns
  .map(({ name, type }, position) => ({ name, type, position }))
  // The other booleans say something of the record.
  .filter(({ name, type }) => type === 'boolean' && name.startsWith('has_'));

export function openPeopleTally(): PeopleTallying {
  let people = 0;
  const seniorities = openCounter();
  const departments = openCounter();
  const reached = openCounter();
  return {
    add(person) {
      people += 1;
      for (const id of textsOf(person[seniorityPosition])) seniorities.add(id);
      for (const id of textsOf(person[departmentPosition])) departments.add(id);
      for (const { name, position } of channels) {
        if (person[position] === true) reached.add(name);
      }
    },
    merge(other) {
      people += other.people;
      seniorities.merge(other.seniorities);
      departments.merge(other.departments);
      reached.merge(other.channels);
    },
    facts: () => ({
      people,
      seniorities: seniorities.facts(),
      departments: departments.facts(),
      channels: reached.facts(),
    }),
  };
}

function textsOf(cell: Cell | undefined): readonly string[] {
  return Array.isArray(cell) ? cell.map(String) : [];
}
