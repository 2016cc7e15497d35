import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import { lookupUse } from '../../../src/results/tally/lookup-tally.ts';
import { storedTally } from '../../../src/run/export/export-run.ts';
import { openSmallService } from '../../support/small-service.ts';
import { openFolder } from '../../support/work-folder.ts';

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
service: { price: { company: 0.5, currency: AUD, charged: ${charged} } }
ledger: { path: ledger.db }
`;

test.each([
  ['answers', ['AUD 2.00', 'AUD 0.50'], ['AUD 0.50', 'AUD 0.50']],
  ['hits', ['AUD 1.50', 'AUD 0.00'], ['AUD 0.00', 'AUD 0.00']],
])(
  'says which column found the companies, and what misses cost by %s',
  async (charged, domains, abns) => {
    await using service = await openSmallService();
    using folder = openFolder({ 'leads.csv': list, 'job.yaml': job(charged) }, service.env);
    expect((await folder.dossier('run job.yaml')).exitCode).toBe(0);
    using ledger = openLedgerToRead(join(folder.path, 'ledger.db'));
    const run = ledger?.runs.get(1);
    if (!ledger || !run) throw new Error('the run is in the ledger');
    const columns = [
      { name: 'website', rows: 2 },
      { name: 'mail', rows: 1 },
    ];
    const [spent, spentOnMisses] = domains;
    const [spentOnAbns, missedAbns] = abns;
    expect(lookupUse(ledger, run, storedTally(ledger, run)?.lookups)).toEqual([
      { kind: 'Domain', columns, tried: 5, found: 3, missed: 2, spent, spentOnMisses },
      {
        kind: 'ABN',
        columns: [],
        ...{ tried: 2, found: 0, missed: 2 },
        ...{ spent: spentOnAbns, spentOnMisses: missedAbns },
      },
    ]);
    // Another night makes no call, so nothing is spent.
    await folder.dossier('run job.yaml');
    using later = openLedgerToRead(join(folder.path, 'ledger.db'));
    const next = later?.runs.get(2);
    if (!later || !next) throw new Error('the run is in the ledger');
    const [line] = lookupUse(later, next, storedTally(later, next)?.lookups);
    expect(line).toMatchObject({ kind: 'Domain', found: 3, spent: '' });
  },
);
