import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../../src/ledger/open-ledger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = {
  job: 'leads',
  jobFingerprint: 'f',
  inputStamp: null,
  inputName: 'leads.csv',
  list: '/leads.csv',
  rowLimit: null,
  service: 'embedded',
  columns: [],
  hasPeople: false,
  startedAt: 1,
};

function remove(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

test('a ledger that was removed is written back with all that is in it', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'made/ledger.db');
  {
    using ledger = openLedger(path);
    ledger.together(() => ledger.runs.start(run));
    rmSync(join(folder.path, 'made'), { recursive: true });
    expect(() => ledger.together(() => ledger.runs.start({ ...run, job: 'other' }))).toThrow(
      /was removed while it was in use; it is back/,
    );
    // Also told to whoever did not listen the first time.
    expect(() => ledger.together(() => {})).toThrow(/was removed while it was in use/);
  }
  using ledger = openLedger(path);
  expect(ledger.runs.list().map(({ job }) => job)).toEqual(['other', 'leads']);
});

test('a file that has taken the place of the ledger is left alone', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  using ledger = openLedger(path);
  remove(path);
  writeFileSync(path, 'somebody else');
  expect(() => ledger.together(() => ledger.runs.start(run))).toThrow(/was replaced/);
});
