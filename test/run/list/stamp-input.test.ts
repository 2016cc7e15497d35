import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stampInput } from '../../../src/run/open-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stampFile = (path: string) => stampInput({ path, address: undefined });

describe('the stamp of a list', () => {
  test('changes with its bytes and its time', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'leads.csv');
    writeFileSync(path, 'website\n');
    const before = await stampFile(path);
    expect(await stampFile(path)).toEqual(before);
    utimesSync(path, new Date(0), new Date(0));
    const touched = await stampFile(path);
    expect(touched).not.toEqual(before);
    writeFileSync(path, 'website\nacme.com.au\n');
    utimesSync(path, new Date(0), new Date(0));
    expect(await stampFile(path)).not.toEqual(touched);
  });

  test('what cannot be looked at is gone, and a pipe is always new', async () => {
    using folder = temporaryFolder();
    const loop = join(folder.path, 'loop.csv');
    symlinkSync(loop, loop);
    mkdirSync(join(folder.path, 'folder'));
    expect(await stampFile(loop)).toEqual({ kind: 'gone' });
    expect(await stampFile(join(folder.path, 'absent.csv'))).toEqual({ kind: 'gone' });
    expect(await stampFile(join(folder.path, 'folder'))).toEqual({ kind: 'pipe' });
    expect(await stampFile('-')).toEqual({ kind: 'pipe' });
  });
});
