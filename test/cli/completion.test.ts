import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completionScripts } from '../../src/cli/completion.ts';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { testWhere } from '../support/needs.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder with a job and a list, and the `dossier` of this checkout on PATH. */
function shellFolder() {
  const folder = temporaryFolder();
  mkdirSync(join(folder.path, 'bin'));
  mkdirSync(join(folder.path, 'jobs'));
  const program = join(folder.path, 'bin/dossier');
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${packagePath('src/main.ts')}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(folder.path, 'jobs/nightly.yaml'), 'name: nightly\ninput: { path: a.csv }\n');
  writeFileSync(join(folder.path, 'leads.csv'), '');
  return folder;
}

function inShell(shell: string, script: string, folder: string): string[] {
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: folder,
    SHELL: '/bin/sh',
  };
  const { stdout, stderr } = spawnSync(shell, ['-c', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

const bashOffers = (...words: string[]) => `
  source <(dossier completion bash)
  COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
  COMP_CWORD=${words.length - 1}
  _dossier_completion
  printf '%s\\n' "\${COMPREPLY[@]}"`;

testWhere('bash').each([
  ['a command', ['dossier', 'st'], ['status']],
  ['a flag', ['dossier', 'run', 'jobs/nightly.yaml', '--max-c'], ['--max-calls']],
  ['a choice', ['dossier', 'run', '--log-format', 'j'], ['json']],
  ['a job of the folder', ['dossier', 'run', ''], ['jobs/nightly.yaml']],
  ['a command of a command', ['dossier', 'ledger', 'ba'], ['backup']],
  ['a shell', ['dossier', 'completion', 'z'], ['zsh']],
  ['nothing, so that bash completes files, for a list', ['dossier', 'run', 'le'], []],
  ['nothing, so that bash completes files, for a flag', ['dossier', 'run', '--input', ''], []],
])('bash is offered %s', (_, words, offered) => {
  using folder = shellFolder();
  expect(inShell('bash', bashOffers(...words), folder.path)).toEqual(offered);
});

const hostileName = 'x$(touch PWNED)`touch PWNED`;touch PWNED.yaml';

/** A folder with a job whose name would run a command if a shell expanded it. */
function hostileFolder() {
  const folder = shellFolder();
  writeFileSync(join(folder.path, hostileName), 'name: x\ninput: { path: a.csv }\n');
  return folder;
}

testWhere('bash')('bash is offered a hostile name quoted, and runs nothing of it', () => {
  using folder = hostileFolder();
  const offer = `${bashOffers('dossier', 'run', 'x')}\neval "printf '%s\\n' \${COMPREPLY[0]}"`;
  const [offered, asTyped] = inShell('bash', offer, folder.path);
  expect(offered).not.toBe(hostileName);
  expect(asTyped).toBe(hostileName);
  expect(existsSync(join(folder.path, 'PWNED'))).toBe(false);
});

testWhere('fish')('fish is offered a hostile name, and runs nothing of it', () => {
  using folder = hostileFolder();
  const script = 'dossier completion fish | source; complete -C "dossier run x"';
  expect(inShell('fish', script, folder.path)).toEqual([expect.stringMatching(/^x.*touch/)]);
  expect(existsSync(join(folder.path, 'PWNED'))).toBe(false);
});

testWhere('zsh')('zsh is offered a hostile name, and runs nothing of it', () => {
  using folder = hostileFolder();
  // A function that prints its choices replaces the menu.
  const script = `compdef() { :; }; _describe() { print -rl -- "\${(@P)2}"; }; _default() { :; }
    source <(dossier completion zsh); words=(dossier run x); CURRENT=3; _dossier_completion`;
  expect(inShell('zsh', script, folder.path)).toContain(hostileName);
  expect(existsSync(join(folder.path, 'PWNED'))).toBe(false);
});

testWhere('fish')('fish is offered commands with what they do', () => {
  using folder = shellFolder();
  const script = 'dossier completion fish | source; complete -C "dossier st"';
  expect(inShell('fish', script, folder.path)).toEqual([expect.stringMatching(/^status\tShow/)]);
});

testWhere('zsh')('zsh takes the script', () => {
  using folder = shellFolder();
  const script =
    'autoload -U compinit; compinit -u; source <(dossier completion zsh); echo $_comps[dossier]';
  expect(inShell('zsh', script, folder.path)).toEqual(['_dossier_completion']);
});

test.each(Object.keys(completionScripts))(
  'the script for %s is printed as it is',
  async (shell) => {
    const { stdout, exitCode } = await runDossier(['completion', shell]);
    expect({ stdout, exitCode }).toEqual({
      stdout: completionScripts[shell as keyof typeof completionScripts],
      exitCode: 0,
    });
  },
);

test('an unknown shell is an error that lists the known ones', async () => {
  expect(await runDossier(['completion', 'tcsh'])).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('"bash", "zsh", "fish"'),
  });
});
