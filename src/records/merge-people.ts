import { nameNetwork } from '../contract/network-name.ts';
import type { ReferenceNames } from '../contract/reference.ts';
import type { PeopleRecord, SearchRecord } from '../ledger/run-records.ts';
import type { Cell, FlatRecord } from './columns.ts';
import { flattenObject, isJsonObject } from './flatten-answer.ts';
import { type FoundPerson, peopleColumns, personFields } from './table-columns.ts';

/**
 * The people of one company, in the order in which they were first found. A person found by several
 * searches is one record that names them all; a field that was null at first is filled by a later
 * finding. A person without an id is a record of its own each time: two of them cannot be told
 * apart for sure, and what was paid for is not dropped.
 */
export function mergePeople(company: PeopleRecord, names: ReferenceNames): FlatRecord[] {
  const people: Finding[] = [];
  const byId = new Map<Cell, Finding>();
  for (const search of company.searches) {
    for (const page of search.pages) {
      for (const person of page.people) {
        if (person === null || person === undefined) continue;
        const found = { ...readPerson(person), company, names, fetchedAt: page.fetchedAt };
        const id = found.cells[idIndex] ?? null;
        const known = id === null ? undefined : byId.get(id);
        if (known === undefined) {
          people.push(found);
          if (id !== null) byId.set(id, found);
        } else {
          fillGaps(known, found);
        }
        (known ?? found).searches.add(search);
      }
    }
  }
  return people.map((person) => peopleColumns.map(({ value }) => value(person)));
}

/** A person while further findings are merged into it. */
interface Finding extends FoundPerson {
  readonly cells: Cell[];
  extra: unknown;
  readonly searches: Set<SearchRecord>;
}

const idIndex = personFields.values.findIndex(({ path }) => path[0] === 'person_id');

function readPerson(person: unknown): Pick<Finding, 'cells' | 'extra' | 'searches'> {
  const cells = new Array<Cell>(personFields.values.length).fill(null);
  const extra = flattenObject(personFields, nameNetwork(person), cells, 0);
  if (cells[idIndex] === '') cells[idIndex] = null;
  return { cells, extra, searches: new Set() };
}

function fillGaps(known: Finding, found: Finding): void {
  for (const [index, cell] of found.cells.entries()) known.cells[index] ??= cell;
  if (isJsonObject(known.extra) && isJsonObject(found.extra)) {
    known.extra = { ...known.extra, ...found.extra, ...known.extra };
  } else {
    known.extra ??= found.extra;
  }
}
