import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FacetChoice } from '../../../../src/ui/workbench/api/rows.ts';
import { openTables } from '../../../../src/ui/workbench/rows/open-tables.ts';
import { findRows } from '../../../../src/ui/workbench/rows/read-page.ts';
import { openFolder } from '../support/workbench-folder.ts';

test('rows are found when the table is whole, and none by a column that the list lacks', async () => {
  await using folder = await openFolder((domain) => ({
    body: JSON.stringify({ id: `c_${domain}`, name: domain, fqdn: domain }),
  }));
  folder.write('leads.csv', 'Website\na.com.au\nb.com.au\nx\n');
  folder.write('leads.yaml', 'name: leads\nledger: ledger.db\ninput: { path: leads.csv }\n');
  await folder.dossier('run', 'leads.yaml');
  const terms = { names: { seniority: {}, department: {} }, staleMs: 0 };
  using tables = openTables();
  const of = { ledger: join(folder.path, 'ledger.db'), job: 'leads', run: undefined, terms };
  const find = (facets: FacetChoice = { status: ['matched'] }) => [
    ...findRows(tables.of(of), { facets }).numbers,
  ];
  find();
  while (tables.step()) find();
  expect(find()).toEqual([1, 2]);
  expect(find({ status: ['matched'], input_region: [] })).toEqual([1, 2]);
  expect(find({ status: ['matched'], input_region: ['North'] })).toEqual([]);
});
