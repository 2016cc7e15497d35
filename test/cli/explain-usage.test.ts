import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';

test.concurrent.each([
  ['rnu leads.csv', 'there is no command rnu; did you mean run?'],
  ['ru leads.csv', 'there is no command ru; did you mean run?'],
  ['nope', 'there is no command nope; the commands are ui, run, plan, fix, status, changes'],
  ['run leads.csv --max-call 5', 'run has no option --max-call; did you mean --max-calls?'],
  ['run leads.csv --foo', 'run has no option --foo\n'],
  ['run leads.csv -url x', 'run has no option -url; did you mean --url?'],
  ['run leads.csv more.csv', 'run: unknown argument: more.csv'],
  ['run', 'dossier run <job>: an argument is missing'],
  ['run leads.csv --rate', '--rate needs a value'],
  ['run leads.csv --log-format xml', '--log-format needs one of text, json, not "xml"'],
  ['run leads.csv --limit 0', '--limit: expected'],
  ['ledger', 'dossier ledger <action>: an argument is missing'],
  ['ledger bakup b.db', 'there is no command ledger bakup; did you mean ledger backup?'],
  ['ledger backup', 'dossier ledger backup <file> [job]: an argument is missing'],
  ['ledger info --ledgr x', 'ledger info has no option --ledgr; did you mean --ledger?'],
  ['-x', 'No command was given.'],
])('dossier %s is refused with a hint', async (line, message) => {
  const { exitCode, stdout, stderr } = await runDossier(line.split(' '));
  expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
  expect(stderr).toContain(`dossier: USAGE: ${message}`);
});

test('usage errors are in English in every locale', async () => {
  const env = { LC_ALL: 'de_DE.UTF-8' };
  const { stderr } = await runDossier(['run', 'leads.csv', '--foo'], { env });
  expect(stderr).toContain('run has no option --foo');
});
