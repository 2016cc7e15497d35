import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { domainOf, found } from '../journeys/sample-companies.ts';
import type { Reaction } from '../support/hostile-server.ts';
import { faultCase } from './support/fault-case.ts';
import { expectToEnd } from './support/trouble.ts';
import { openWorld, type World } from './support/world.ts';

const pageSize = 4;
const maxPerCompany = 30;

interface Paging {
  readonly name: string;
  /** The reaction to a request for the people from `from` on; `page` is the number of the request. */
  readonly page: (from: number, page: number) => Reaction;
  /** How many people the output holds. */
  readonly people: number;
  /** The highest number of calls allowed. */
  readonly calls: number;
  /** Whether the company's record says that nobody is left out. */
  readonly isComplete: boolean;
}

const everybody = Array.from({ length: 11 }, (_, index) => ({ person_id: `p${index}` }));
const between = (from: number, length = pageSize) => everybody.slice(from, from + length);
const fresh = (from: number, length: number) =>
  Array.from({ length }, (_, index) => ({ person_id: `new${from}-${index}` }));

function paging(
  name: string,
  answer: (from: number, page: number) => unknown,
  people: number,
  calls: number,
  isComplete: boolean,
): Paging {
  return { name, people, calls, isComplete, page: (from, page) => found(answer(from, page)) };
}

const pagings: readonly Paging[] = [
  paging('as asked', (from) => between(from), 11, 4, true),
  paging('capped at three', (from) => between(from, 3), 11, 5, true),
  paging('overlapping by one', (from) => between(Math.max(0, from - 1)), 11, 4, true),
  paging('the same for ever', () => between(0), 4, 2, false),
  paging('new people for ever', (from) => fresh(from, pageSize), 32, 8, false),
  paging('one new person at a time, for ever', (from) => fresh(from, 1), maxPerCompany, 30, false),
  paging('longer than asked for', (from) => (from === 0 ? fresh(0, 500) : []), 500, 1, false),
  paging(
    'shrinking while a total tells of more',
    (from, page) => ({
      total: 11,
      records: between(from, Math.max(1, pageSize - page)),
    }),
    11,
    6,
    true,
  ),
  paging(
    'a total beyond all people',
    (from) => ({ total: 9_999, data: between(from) }),
    11,
    4,
    false,
  ),
  // Values that are no people cannot be told apart, so each one counts.
  paging('people who are none', () => [null, 7, 'x', [], {}], 8, 2, false),
  paging('null', () => null, 0, 1, true),
  paging('ids of twenty digits', (from) => (from === 0 ? ['longIds'] : []), 2, 2, true),
  paging('people without an id who are nested without end', () => ['nested'], 4, 2, false),
  {
    name: 'not found in the middle',
    page: (from) => (from === 0 ? found(between(0)) : { status: 404, body: '{}' }),
    people: 4,
    calls: 2,
    isComplete: true,
  },
];

/** Texts that JSON.stringify cannot write. */
const spelledOut: Readonly<Record<string, string>> = {
  longIds: '{"person_id":98765432109876543210},{"person_id":98765432109876543211}',
  nested: `{"odd":${'['.repeat(50_000)}${']'.repeat(50_000)}},{"odd":1}`,
};

function spellOut(reaction: Reaction): Reaction {
  const text = String(reaction.body ?? '');
  const word = /^\["(\w+)"\]$/.exec(text)?.[1];
  return word === undefined ? reaction : { ...reaction, body: `[${spelledOut[word]}]` };
}

async function openPagedWorld(
  companies: number,
  react: (company: number, from: number, page: number) => Reaction | undefined,
): Promise<World> {
  const pages = new Map<number, number>();
  const world = await openWorld(
    {
      people: 0,
      job: { people: { seniority: [3], pageSize, maxPerCompany }, limits: { attempts: 1 } },
    },
    ({ method, body }) => {
      if (method === 'GET') return undefined;
      const { companyId = '', from = '' } = JSON.parse(body) as Record<string, string>;
      const company = Number(companyId.slice(2));
      const page = pages.get(company) ?? 0;
      pages.set(company, page + 1);
      return react(company, Number(from), page);
    },
  );
  const domains = Array.from({ length: companies }, (_, number) => `,${domainOf(number)}`);
  writeFileSync(join(world.folder, 'leads.csv'), ['page,website', ...domains].join('\n'));
  return world;
}

function peopleOf(world: World, company: number): number {
  const text = readFileSync(join(world.output, 'people.jsonl'), 'utf8');
  return text.split(`"company_id":"c_${company}"`).length - 1;
}

function callsFor(world: World, company: number): number {
  return world.asked().filter(({ body }) => body.includes(`"companyId":"c_${company}"`)).length;
}

describe('pages of people', () => {
  faultCase(
    'capped, overlapping, endless, shrinking and odd: everybody comes out, and it ends',
    async () => {
      await using world = await openPagedWorld(pagings.length, (company, from, page) => {
        const reaction = pagings[company]?.page(from, page);
        return reaction && spellOut(reaction);
      });
      expectToEnd(await world.run());
      const companies = readFileSync(join(world.output, 'companies.jsonl'), 'utf8').split('\n');
      const outcome = pagings.map(({ name }, company) => {
        const isComplete = companies[company]?.includes('"people_complete":true');
        return [name, peopleOf(world, company), isComplete];
      });
      expect(outcome).toEqual(
        pagings.map(({ name, people, isComplete }) => [name, people, isComplete]),
      );
      for (const [company, { name, calls }] of pagings.entries()) {
        expect(callsFor(world, company), name).toBeLessThanOrEqual(calls);
      }
      const before = world.asked().length;
      expectToEnd(await world.run());
      expect(world.asked()).toHaveLength(before);
    },
  );

  const troubles: readonly Reaction[] = [
    { status: 500, body: '{}' },
    { status: 400, body: '{"error":"from is out of range"}' },
    { reset: 'within body', body: '[{"person_id":"p9"}]' },
    { body: '[{"person_id":' },
    { status: 302, headers: { location: 'http://localhost:1/' } },
  ];
  faultCase(
    'failing in the middle: the pages before are kept, and the search goes on from there',
    async (seed) => {
      const trouble = troubles[seed.value % troubles.length];
      let isBroken = true;
      await using world = await openPagedWorld(3, (_, from) =>
        isBroken && from > 0 ? trouble : found(between(from)),
      );
      expectToEnd(await world.run(), 3);
      expect([0, 1, 2].map((company) => peopleOf(world, company))).toEqual([4, 4, 4]);
      isBroken = false;
      const before = world.asked().length;
      expectToEnd(await world.run());
      expect([0, 1, 2].map((company) => peopleOf(world, company))).toEqual([11, 11, 11]);
      // The second, the third and the empty page of each search.
      expect(world.asked().length - before).toBe(9);
    },
    { short: 0, long: troubles.length },
  );
});
