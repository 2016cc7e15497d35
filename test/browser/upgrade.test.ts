import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { unpackLedger } from '../faults/support/released-ledger.ts';
import { hasBrowser, openPage, seriousViolations } from '../support/browser.ts';
import { testIf } from '../support/needs.ts';
import { openUiHere } from '../support/open-ui.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const yaml = 'name: companies\ninput: {path: companies.csv}\nledger: ledger.db\n';
const kept = join(import.meta.dirname, '../faults/ledgers/0.9.0.db.gz');

testIf(hasBrowser, 'chromium-headless-shell is not on PATH')(
  'a ledger of an older version is upgraded by a button, and the page goes on',
  { timeout: 120_000 },
  async () => {
    using folder = temporaryFolder();
    unpackLedger(kept, folder.path);
    writeFileSync(join(folder.path, 'companies.yaml'), yaml);
    await using ui = await openUiHere(folder.path);
    await using opened = await openPage(`${ui.url}#/result/companies.yaml`);
    const { page, complaints } = opened;
    await page.getByText('was written by an older version of Dossier').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Upgrade the ledger' }).click();
    await page
      .getByText(/^The ledger was upgraded. A copy of it as it was: ledger\.db\./)
      .waitFor();
    await page.getByRole('heading', { name: /^20 rows done/ }).waitFor();
    expect(complaints).toEqual([]);
  },
);
