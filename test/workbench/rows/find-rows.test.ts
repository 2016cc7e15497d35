import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTables } from '../../../src/workbench/rows/open-tables.ts';
import { openFolder } from '../support/workbench-folder.ts';

test('a search that was made while the index fills finds all rows when it is whole', async () => {
  await using folder = await openFolder((domain) => ({
    body: JSON.stringify({ id: `c_${domain}`, name: domain, fqdn: domain }),
  }));
  folder.write('leads.csv', 'Website\na.com.au\nb.com.au\nx\n');
  folder.write('leads.yaml', 'name: leads\nledger: ledger.db\ninput: { path: leads.csv }\n');
  await folder.dossier('run', 'leads.yaml');
  using tables = openTables();
  const of = { ledger: join(folder.path, 'ledger.db'), job: 'leads', run: undefined };
  const find = () => [
    ...(tables
      .of(of)
      .finder?.find({ search: '', facets: { status: ['matched'] }, sort: undefined }) ?? []),
  ];
  find();
  while (tables.step()) find();
  expect(find()).toEqual([1, 2]);
});
