import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatPaid } from '../../src/core/values/money.ts';
import { openLedgerToRead } from '../../src/engine/ledger/open-ledger.ts';
import { lookupUse } from '../../src/facts/lookup-use.ts';
import { storedTally } from '../../src/run/export/export-run.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const list = `abn,website,mail
51824753556,one.com.au,
51824753556,two.com.au,
,unknown.com.au,sales@three.com.au
,unknown.com.au,
,,sales@unknown.com.au
`;

const job = (charged: string) => `
name: leads
input: { path: leads.csv }
identify: [{ column: abn }, { column: website }, { column: mail }]
service: { price: { company: 0.5, people: 0.1, currency: AUD, charged: ${charged} } }
ledger: { path: ledger.db }
`;

test.each([
  [
    'answers',
    ['AUD 2.00', 'AUD 0.50'],
    ['AUD 0.50', 'AUD 0.50'],
    [
      ['AUD 2.50', 'AUD 1.00'],
      ['AUD 3.00', 'AUD 1.20'],
    ],
    ['AUD 0.50', 'AUD 0.20'],
  ],
  [
    'hits',
    ['AUD 1.50', ''],
    ['AUD 0.00', ''],
    [
      ['AUD 1.50', ''],
      ['AUD 1.80', ''],
    ],
    ['AUD 0.30', ''],
  ],
])(
  'says what found the companies and what the list has cost, charged by %s',
  async (charged, domains, abns, [together, withPeople], [people, emptyPages]) => {
    let searches = 0;
    // The first company has nobody, and another search ends with an empty page.
    await using service = await openSmallService((path) =>
      path.includes('people') && [1, 5].includes(++searches) ? { body: '[]' } : undefined,
    );
    using folder = openFolder({ 'leads.csv': list, 'job.yaml': job(charged) }, service.env);
    const useOf = (id: number) => {
      using ledger = openLedgerToRead(join(folder.path, 'ledger.db'));
      const run = ledger?.runs.get(id);
      if (!ledger || !run) throw new Error('the run is in the ledger');
      return lookupUse(ledger, run, storedTally(ledger, run)?.lookups);
    };
    // The rows of a try are paid for once, so they are a part of what the list has cost.
    await succeeded(folder.dossier('run job.yaml --limit 2'));
    await succeeded(folder.dossier('run job.yaml'));
    const columns = [
      { name: 'website', rows: 2 },
      { name: 'mail', rows: 1 },
    ];
    const [spent, spentOnMisses] = domains;
    const [spentOnAbns, missedAbns] = abns;
    const sum = ([all, onMisses]: readonly (string | undefined)[] = []) => ({
      ...{ kind: 'Together', columns: [], tried: null, found: null, missed: null },
      ...{ spent: all, spentOnMisses: onMisses },
    });
    const kinds = [
      { kind: 'Domain', columns, tried: 5, found: 3, missed: 2, spent, spentOnMisses },
      {
        kind: 'ABN',
        columns: [],
        ...{ tried: 2, found: 0, missed: 2 },
        ...{ spent: spentOnAbns, spentOnMisses: missedAbns },
      },
    ];
    expect(useOf(2)).toEqual([...kinds, sum(together)]);
    folder.write('job.yaml', `${job(charged)}people: { seniority: [C-Suite] }\n`);
    await succeeded(folder.dossier('run job.yaml'));
    const lines = [
      ...kinds,
      {
        ...{ kind: 'People', columns: [], tried: 3, found: 2, missed: 1 },
        ...{ spent: people, spentOnMisses: emptyPages },
      },
      sum(withPeople),
    ];
    expect(useOf(3)).toEqual(lines);
    const { total } = JSON.parse((await folder.dossier('spend job.yaml --json')).stdout);
    expect(formatPaid(total.missMoney)).toBe(withPeople?.[1]);
  },
);
