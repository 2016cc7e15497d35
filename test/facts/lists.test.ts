import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspectSample, sampleList } from '../../src/facts/lists.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a column that identifies companies has one share, wherever it is told', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'leads.csv');
  const sites = Array.from({ length: 49 }, (_, row) => `site${row}.com.au`);
  // An ABN is an identifier, and no domain.
  writeFileSync(path, ['website', ...sites, '51824753556'].join('\n'));
  const { columns, facts } = inspectSample(await sampleList(path));
  expect(columns.identify).toMatchObject([{ column: 'website', as: 'fqdn', share: 0.98 }]);
  expect(facts).toMatchObject([{ column: 'website', share: 0.98 }]);
});
