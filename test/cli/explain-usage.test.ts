import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';

test.concurrent.each([
  ['rnu leads.csv', 'there is no such command; did you mean run?'],
  ['wobble', 'unknown option or word: wobble\n'],
  ['run leads.csv --foo-bar', 'unknown option or word: foo-bar\n'],
  ['run leads.csv more.csv', 'unknown option or word: more.csv\n'],
  ['run', 'an argument is missing: Job file (.yaml), or a list (CSV'],
  ['run leads.csv --dry-run', 'there is no --dry-run; `dossier plan` shows what a run would do'],
  ['run leads.csv --rate', '--rate needs a value'],
  ['run leads.csv --log-format xml', '--log-format needs one of text, json, not "xml"'],
  ['run leads.csv --limit 0', '--limit: expected'],
  ['ledger', 'ledger needs one of info, backup, merge, prune, upgrade, check\n'],
  ['ledger bogus', 'ledger needs one of info, backup, merge, prune, upgrade, check\n'],
  ['services chekc main', 'there is no services chekc; did you mean check?\n'],
  ['ledger bakup b.db', 'there is no such command; did you mean backup?'],
  ['ledger backup', 'an argument is missing'],
  ['ledger info --ledgr x', 'there is no --ledgr; did you mean --ledger?\n'],
  ['-x', 'No command was given.'],
])('dossier %s is refused with a hint', async (line, message) => {
  const { exitCode, stdout, stderr } = await runDossier(line.split(' '));
  expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
  expect(stderr).toContain(`dossier: USAGE: ${message}`);
});

test('usage errors are in English in every locale', async () => {
  const env = { LC_ALL: 'de_DE.UTF-8' };
  const { stderr } = await runDossier(['run', 'leads.csv', '--foo'], { env });
  expect(stderr).toContain('unknown option or word: foo');
});
