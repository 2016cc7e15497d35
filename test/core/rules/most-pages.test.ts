import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfSearch, mostFullPages, mostPages } from '../../../src/core/rules/people-search.ts';

test.each([
  [{ searches: 1, pageSize: 50, people: 200 }, 5, 200],
  [{ searches: 1, pageSize: 50, people: 10 }, 2, 10],
  [{ searches: 4, pageSize: 50, people: 1_000 }, 27, 1_003],
  [{ searches: 3, pageSize: 50, people: 1 }, 3, 3],
])('%j take at most %i full pages, or %i of any length', (ahead, ifFull, most) => {
  expect(mostFullPages(ahead)).toBe(ifFull);
  expect(mostPages(ahead)).toBe(most);
});

const Ahead = fc.record({
  searches: fc.integer({ min: 1, max: 5 }),
  pageSize: fc.integer({ min: 1, max: 8 }),
  people: fc.integer({ min: 1, max: 40 }),
});
const People = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 5, maxLength: 5 });

test('full pages never take more than the most of them, and some people take just that', () => {
  fc.assert(
    fc.property(Ahead, People, (ahead, people) => {
      const { pageSize } = ahead;
      expect(pagesTaken(ahead, people, () => pageSize)).toBeLessThanOrEqual(mostFullPages(ahead));
      // One person in each search while there is room, and in the last all others but one.
      const most = Math.max(0, ahead.people - ahead.searches);
      const dearest = [0, most].map((inLast) =>
        Array.from({ length: ahead.searches }, (_, place) =>
          place === ahead.searches - 1 ? inLast : Number(place < ahead.people - 1),
        ),
      );
      const taken = dearest.map((found) => pagesTaken(ahead, found, () => pageSize));
      expect(Math.max(...taken)).toBe(mostFullPages(ahead));
    }),
  );
});

/** Pages as a run asks for them, by its own rule for the end of a search. */
function pagesTaken(
  ahead: { searches: number; people: number },
  people: readonly number[],
  pageLength: () => number,
): number {
  let pages = 0;
  let receivedForCompany = 0;
  for (const matching of people.slice(0, ahead.searches)) {
    let received = 0;
    for (;;) {
      const length = Math.min(pageLength(), matching - received);
      pages += 1;
      received += length;
      receivedForCompany += length;
      const facts = { pageLength: length, added: length, total: undefined };
      const sums = { received, receivedForCompany, maxPerCompany: ahead.people };
      if (endOfSearch({ ...facts, ...sums })) break;
    }
    if (receivedForCompany >= ahead.people) return pages;
  }
  return pages;
}
