import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { testWhere } from '../support/needs.ts';
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

testWhere('bash')('bash is offered commands, flags and choices, and completes files itself', () => {
  const offers = (...words: string[]) => `
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _dossier_yargs_completions; echo "offered \${COMPREPLY[*]}"`;
  const script = `source <(dossier completion)
    ${offers('dossier', 'st')}
    ${offers('dossier', 'ledger', 'ba')}
    ${offers('dossier', 'run', 'a.yaml', '--max-c')}
    ${offers('dossier', 'run', '--log-format', 'j')}
    ${offers('dossier', 'run', '')}`;
  expect(inShell('bash', script)).toEqual([
    'offered status',
    'offered backup',
    'offered --max-calls',
    'offered json',
    'offered ',
  ]);
});

testWhere('zsh')('zsh takes the script', () => {
  const script =
    'autoload -U compinit; compinit -u; source <(dossier completion); echo $_comps[dossier]';
  expect(inShell('zsh', script)).toEqual(['_dossier_yargs_completions']);
});
