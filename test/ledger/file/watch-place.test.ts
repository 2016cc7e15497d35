import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LedgerLost } from '../../../src/ledger/file/ledger-lost.ts';
import { type Ledger, openLedger } from '../../../src/ledger/open-ledger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = {
  job: 'leads',
  jobFingerprint: 'f',
  verdictTerms: 'v',
  inputStamp: null,
  inputName: 'leads.csv',
  inputPath: '/leads.csv',
  list: '/leads.csv',
  listId: 1,
  rowLimit: null,
  service: 'embedded',
  columns: [],
  hasPeople: false,
  startedAt: 1,
};

function remove(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}

function lossOf(ledger: Ledger): LedgerLost {
  try {
    ledger.together(() => ledger.runs.start({ ...run, job: 'other' }));
  } catch (error) {
    if (error instanceof LedgerLost) return error;
    throw error;
  }
  throw new Error('the ledger is where it was');
}

const jobsIn = (path: string) => {
  using ledger = openLedger(path);
  return ledger.runs.list().map(({ job }) => job);
};

test('a ledger that was removed is written back with all that is in it', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'made/ledger.db');
  {
    using ledger = openLedger(path);
    ledger.together(() => ledger.runs.start(run));
    rmSync(join(folder.path, 'made'), { recursive: true });
    expect(lossOf(ledger)).toMatchObject({
      message: expect.stringContaining('was removed while it was in use; it is back'),
      rescuedTo: path,
    });
    // Also told to whoever did not listen the first time.
    expect(() => ledger.together(() => {})).toThrow(/was removed while it was in use/);
  }
  expect(jobsIn(path)).toEqual(['leads']);
});

test('a ledger that cannot be put back is saved in the first folder that takes it', () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('disk'));
  writeFileSync(at('no-folder'), '');
  {
    using ledger = openLedger(at('disk/ledger.db'), {
      rescueFolders: [at('no-folder'), at('outputs')],
    });
    ledger.together(() => ledger.runs.start(run));
    rmSync(at('disk'), { recursive: true });
    writeFileSync(at('disk'), 'a file where the folder was');
    const { message, rescuedTo } = lossOf(ledger);
    expect(message).toContain(`all that was stored is in ${rescuedTo}`);
    expect(rescuedTo).toBe(at(`outputs/ledger.rescued-${process.pid}.db`));
  }
  expect(jobsIn(at(`outputs/ledger.rescued-${process.pid}.db`))).toEqual(['leads']);
});

test('a file that has taken the place of the ledger is left alone, and the ledger saved elsewhere', () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db');
  const rescueFolders = [join(folder.path, 'outputs')];
  using ledger = openLedger(path, { rescueFolders });
  ledger.together(() => ledger.runs.start(run));
  remove(path);
  writeFileSync(path, 'somebody else');
  const { message, rescuedTo } = lossOf(ledger);
  expect(message).toContain('was replaced');
  expect(readFileSync(path, 'utf8')).toBe('somebody else');
  expect(readdirSync(join(folder.path, 'outputs'))).toHaveLength(1);
  expect(jobsIn(rescuedTo)).toEqual(['leads']);
});
