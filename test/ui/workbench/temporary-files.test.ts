import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeTemporaryFolder, sweepLeftovers } from '../../../src/ui/workbench/temporary-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const now = new Date();
const yesterday = new Date(now.getTime() - 25 * 60 * 60_000);

test('what killed processes left a day ago is removed, and nothing else', () => {
  using folder = temporaryFolder();
  using temporary = temporaryFolder();
  vi.stubEnv('TMPDIR', temporary.path);
  const make = (name: string, at = yesterday) => {
    const path = join(folder.path, name);
    mkdirSync(path);
    writeFileSync(join(path, 'leads.csv'), 'half of a li');
    utimesSync(path, at, at);
  };
  make('.dossier-drop-aaaaaa');
  make('.dossier-drop-bbbbbb', now);
  make('leads');
  for (const name of ['.leads.yaml.7-1.dossier-tmp', 'leads.csv', '.env']) {
    writeFileSync(join(folder.path, name), '');
    utimesSync(join(folder.path, name), yesterday, yesterday);
  }
  using own = makeTemporaryFolder();
  const killed = mkdtempSync(join(temporary.path, 'dossier-ui-999999999-'));
  const other = mkdtempSync(join(temporary.path, 'dossier-'));
  for (const path of [own.path, killed, other]) utimesSync(path, yesterday, yesterday);

  sweepLeftovers(folder.path);
  const kept = ['.dossier-drop-bbbbbb', '.env', 'leads', 'leads.csv'];
  expect(readdirSync(folder.path).toSorted()).toEqual(kept);
  expect(readdirSync(temporary.path).toSorted()).toEqual(
    [own.path, other].map((path) => basename(path)).toSorted(),
  );
});
