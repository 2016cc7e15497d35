import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { welcomeText } from '../../src/cli/welcome.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { terminal } from '../support/terminal.ts';

const job = 'name: nightly\ninput:\n  path: leads.csv\n';

/** The commands that `dossier` without arguments offers in a folder with these files. */
async function offered(files: Record<string, string>): Promise<string[]> {
  using folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder.path, path, '..'), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  const { exitCode, stdout, stderr } = await runDossier([], { cwd: folder.path });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThan(80);
  return [...stdout.matchAll(/^ {2}(dossier .+?) {2,}/gm)].map(([, command = '']) => command);
}

test.concurrent.each([
  [
    'an empty folder',
    {},
    ['dossier identify leads.csv', 'dossier init leads.csv', 'dossier plan leads.yaml'],
  ],
  [
    'a list',
    { 'My leads.xlsx': '', 'notes.yaml': 'a: 1' },
    [
      "dossier identify 'My leads.xlsx'",
      "dossier init 'My leads.xlsx'",
      'dossier plan my-leads.yaml',
    ],
  ],
  [
    'a job',
    { 'jobs/nightly.yaml': job, 'leads.csv': '' },
    ['check', 'plan', 'run'].map((command) => `dossier ${command} jobs/nightly.yaml`),
  ],
  [
    'the demo and another job',
    { 'jobs/demo.yaml': job, 'jobs/nightly.yaml': job },
    [
      'dossier run jobs/demo.yaml --url embedded',
      'dossier status jobs/demo.yaml',
      'dossier init leads.csv',
    ],
  ],
  [
    'a ledger that holds no run',
    { 'nightly.yaml': job, 'output/ledger.db': '' },
    ['check', 'plan', 'run'].map((command) => `dossier ${command} nightly.yaml`),
  ],
])('beside %s, dossier alone says what to do next', async (_, files, commands) => {
  expect(await offered(files)).toEqual(commands);
});

test('only a job that has run is offered for export; a lookup is no run', async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  writeFileSync(join(cwd, 'leads.csv'), 'domain\nexample-sample.com\n');
  for (const name of ['first', 'second']) {
    const text = `name: ${name}\nservice: { url: embedded }\ninput: { path: leads.csv }\n`;
    writeFileSync(join(cwd, `${name}.yaml`), text);
  }
  await runDossier(['lookup', 'example-sample.com', '--url', 'embedded'], { cwd });
  const before = await runDossier([], { cwd });
  expect(before.stdout).toContain('There are 2 jobs here');
  expect(before.stdout).not.toContain('export');

  expect(await runDossier(['run', 'second.yaml'], { cwd })).toMatchObject({ exitCode: 0 });
  const after = await runDossier([], { cwd });
  expect(after.stdout).toContain('second.yaml has run here');
  expect(after.stdout).toContain('dossier export second.yaml');
});

test('at a terminal with a display, the page comes first', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'xdg-open'), '');
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('PATH', folder.path);
  const stream = Object.assign(terminal(80), { isTTY: true });
  const first = async () => {
    const text = stripVTControlCharacters(await welcomeText(folder.path, stream));
    return / {2}(dossier \w+)/.exec(text)?.[1];
  };
  vi.stubEnv('DISPLAY', ':0');
  expect(await first()).toBe('dossier ui');
  if (process.platform !== 'linux') return;
  vi.stubEnv('DISPLAY', '');
  vi.stubEnv('WAYLAND_DISPLAY', '');
  expect(await first()).toBe('dossier identify');
});
