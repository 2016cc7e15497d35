import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { testWhere } from '../support/needs.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a shell prints that has the `dossier` of this checkout on its PATH. */
function inShell(shell: string, script: string): string[] {
  using folder = temporaryFolder();
  const program = join(folder.path, 'bin/dossier');
  const main = packagePath('src/main.ts');
  mkdirSync(join(folder.path, 'bin'));
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(program, 0o755);
  const PATH = `${join(folder.path, 'bin')}:${process.env.PATH}`;
  const env = { PATH, HOME: folder.path, SHELL: `/bin/${shell}` };
  const { stdout, stderr } = spawnSync(shell, ['-c', script], { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

test('commands, flags and choices are offered; file names are left to the shell', async () => {
  const offers = async (...words: string[]) => {
    const args = ['--get-yargs-completions', 'dossier', ...words];
    return (await runDossier(args)).stdout.split('\n');
  };
  expect(await offers('st')).toContain('status');
  expect(await offers('ledger', 'ba')).toContain('backup');
  expect(await offers('run', '--log-format', 'j')).toContain('json');
  expect(await offers('run', '')).toEqual(['']);
});

testWhere('bash')('bash takes the script', () => {
  const script = `source <(dossier completion)
    COMP_WORDS=(dossier run a.yaml --max-c); COMP_CWORD=3
    _dossier_yargs_completions; echo "offered \${COMPREPLY[*]}"`;
  expect(inShell('bash', script)).toEqual(['offered --max-calls']);
});

testWhere('zsh')('zsh takes the script', () => {
  const script =
    'autoload -U compinit; compinit -u; source <(dossier completion); echo $_comps[dossier]';
  expect(inShell('zsh', script)).toEqual(['_dossier_yargs_completions']);
});
