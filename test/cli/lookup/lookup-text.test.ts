import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LookupJson } from '../../../src/cli/lookup/lookup-json.ts';
import { lookupText } from '../../../src/cli/lookup/lookup-text.ts';
import { fullCompany } from '../../support/store-data.ts';
import { terminal } from '../../support/terminal.ts';

const found: LookupJson = {
  status: 'matched',
  reason: null,
  message: null,
  identifier: { kind: 'fqdn', value: 'otautahi-dairy-sample.co.nz' },
  country: 'NZ',
  match: 'exact',
  source: 'reused',
  fetchedAt: '2026-08-22T04:12:09.113Z',
  company: fullCompany,
  failedSearches: 0,
};

test('a company is a card of its main fields', () => {
  expect(lookupText(found, terminal(80))).toBe(
    [
      'Ōtautahi Dairy 株式会社',
      '  From grass',
      '',
      '  website       https://www.otautahi-dairy-sample.co.nz/en/',
      '  network       otautahi-dairy',
      '  ABN           13 914 571 672',
      '  ACN           914571672',
      '  register      Active',
      '  type          Public Company',
      '  industries    Dairy',
      '  employees     1,234 (1000+)',
      '  revenue       $100M-$500M',
      '  founded       1987',
      '  headquarters  Christchurch, New Zealand',
      '  phones        +64 3 555 0100',
      '  e-mails       hello@otautahi-dairy-sample.co.nz',
      '  id            c_full',
      '',
      '  Milk, "butter" and cheese.',
      '',
      '  fqdn otautahi-dairy-sample.co.nz in NZ: exact match. Answer of 2026-08-22',
      '  04:12 UTC, from the ledger, no call was made.',
      '',
    ].join('\n'),
  );
});

test('people are a table, and a failed search is noted below it', () => {
  const people = [
    { position: 'CEO', network: 'the-ceo', has_email: true, has_dnd_phone: true },
    { position: 'Head of everything that nobody else wants to be the head of', has_phone: false },
  ];
  expect(lookupText({ ...found, people, peopleComplete: false }, terminal(80))).toContain(
    'There may be more than these.\n',
  );
  expect(lookupText({ ...found, people, failedSearches: 1 }, terminal(80))).toContain(
    [
      '2 people',
      '  position                     network   reached by',
      '  CEO                          the-ceo   e-mail, dnd phone',
      '  Head of everything that no…',
      '  1 people search got no answer; look again to retry',
      '',
    ].join('\n'),
  );
});

test('whatever a service answers fits the terminal and cannot write to it', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 300 }));
  const fields = Object.keys(fullCompany);
  const company = fc.dictionary(fc.constantFrom(...fields), anything);
  const person = fc.record({ position: anything, network: anything, has_email: anything });
  fc.assert(
    fc.property(
      company,
      fc.array(person),
      fc.constantFrom(40, 80, 120),
      (answer, people, columns) => {
        const text = lookupText({ ...found, company: answer, people }, terminal(columns));
        for (const line of text.split('\n')) {
          expect([...line].length).toBeLessThan(columns);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      },
    ),
  );
});
