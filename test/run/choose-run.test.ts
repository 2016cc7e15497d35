import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { type InputStamp, resumableRun, stampInput } from '../../src/run/choose-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the stamp of a list', () => {
  test('changes with its bytes and its time', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'leads.csv');
    writeFileSync(path, 'website\n');
    const before = stampInput(path);
    expect(stampInput(path)).toEqual(before);
    utimesSync(path, new Date(0), new Date(0));
    const touched = stampInput(path);
    expect(touched).not.toEqual(before);
    writeFileSync(path, 'website\nacme.com.au\n');
    utimesSync(path, new Date(0), new Date(0));
    expect(stampInput(path)).not.toEqual(touched);
  });

  test('what cannot be looked at is gone, and a pipe is always new', () => {
    using folder = temporaryFolder();
    const loop = join(folder.path, 'loop.csv');
    symlinkSync(loop, loop);
    mkdirSync(join(folder.path, 'folder'));
    expect(stampInput(loop)).toEqual({ kind: 'gone' });
    expect(stampInput(join(folder.path, 'absent.csv'))).toEqual({ kind: 'gone' });
    expect(stampInput(join(folder.path, 'folder'))).toEqual({ kind: 'pipe' });
    expect(stampInput('-')).toEqual({ kind: 'pipe' });
  });
});

const file: InputStamp = { kind: 'file', stamp: 'leads.csv 100 1' };

describe('an unfinished run', () => {
  test.each<[string, string, InputStamp, string | null, boolean]>([
    ['goes on with the same job and list', 'f', file, file.stamp, true],
    ['goes on when its list is gone', 'f', { kind: 'gone' }, file.stamp, true],
    ['stops for another job', 'g', file, file.stamp, false],
    ['stops for another list', 'f', file, 'leads.csv 101 2', false],
    ['stops for a pipe', 'f', { kind: 'pipe' }, null, false],
    ['that came from a pipe stops when a file is gone', 'f', { kind: 'gone' }, null, false],
  ])('%s', (_, jobFingerprint, input, inputStamp, isResumed) => {
    using ledger = openLedger(':temporary:');
    const facts = { inputName: 'leads.csv', columns: [], hasPeople: false, startedAt: 1 };
    const run = ledger.runs.start({ job: 'leads', jobFingerprint: 'f', inputStamp, ...facts });
    ledger.runs.completeIngest(run, { columns: [], inputSha256: '' });
    const basis = { job: 'leads', jobFingerprint, input };
    expect(resumableRun(ledger, basis)?.id).toBe(isResumed ? run.id : undefined);
    // Only a new run that was read in takes its place.
    expect(ledger.runs.get(run.id)?.state).toBe('open');
    ledger.runs.finish(run.id, 2);
    expect(resumableRun(ledger, basis)).toBeUndefined();
  });
});
