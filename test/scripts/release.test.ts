import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { openFolder } from '../support/work-folder.ts';

const changelog = `# Changelog

## Unreleased

## 0.2.0 - 2026-12-01

### Added

- run: something new.

## 0.1.0

- The first.
`;

test.each([
  ['0.2.0', '### Added\n\n- run: something new.\n'],
  ['v0.1.0', '- The first.\n'],
  ['Unreleased', ''],
  ['0.2', ''],
])('the notes of %s are the text between its heading and the next', async (version, notes) => {
  using checkout = openCheckout();
  expect((await release(checkout.path, ['--notes', version])).stdout).toBe(notes);
});

test('a release is ready if tag, version and changelog agree', async () => {
  using checkout = openCheckout();
  const { path } = checkout;
  expect((await release(path)).stderr).toContain('There is no such tag. Run `git tag v0.2.0`.');
  git(path, 'tag', 'v0.2.0');
  expect(await release(path, ['--check'])).toEqual({
    exitCode: 0,
    stdout: 'Tag, checkout and changelog of v0.2.0 fit together.\n',
    stderr: '',
  });
  git(path, 'commit', '--allow-empty', '--message', 'Go on');
  const moved = await release(path, ['--check']);
  expect(moved).toMatchObject({ exitCode: 1, stdout: '' });
  expect(moved.stderr).toContain('It tags another commit.');

  writeFileSync(join(path, 'CHANGELOG.md'), changelog.replace('0.2.0', '0.1.9'));
  const wrong = await release(path, ['--check', '--tag', 'v0.3.0']);
  expect(wrong).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `release: v0.3.0 is not ready:
  package.json says 0.2.0. Set the version, and commit.
  Files differ from their commit:
M CHANGELOG.md
  CHANGELOG.md needs a section "## 0.2.0 - <date>".
`,
  });
});

test('a version is published once, and not if npm cannot be reached', async () => {
  using checkout = openCheckout();
  git(checkout.path, 'tag', 'v0.2.0');
  const versions = { '0.2.0': { name: 'dossier', version: '0.2.0' } };
  const known = { name: 'dossier', 'dist-tags': { latest: '0.2.0' }, versions };
  await using registry = await openHostileServer({ body: JSON.stringify(known) });
  const published = await release(checkout.path, [], {
    NPM_TOKEN: 'token-of-the-registry',
    npm_config_registry: `${registry.url}/`,
  });
  expect(published).toMatchObject({ exitCode: 0, stderr: '' });
  expect(published.stdout).toContain('dossier 0.2.0 is published already.');
  const headers = { authorization: 'Bearer token-of-the-registry' };
  expect(registry.seen).toMatchObject([{ method: 'GET', path: '/dossier', headers }]);

  const nowhere = { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' };
  const failed = await release(checkout.path, [], nowhere);
  expect(failed.exitCode).toBe(1);
  expect(failed.stderr).toContain('ECONNREFUSED');
}, 60_000);

function release(cwd: string, words: string[] = [], more: Record<string, string> = {}) {
  const env = cleanEnvironment({ npm_config_loglevel: 'error', ...more });
  const args = [packagePath('scripts/release.ts'), ...words];
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd, env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}

/** A repository with what a release looks at, committed. */
function openCheckout() {
  const manifest = JSON.stringify({ name: 'dossier', version: '0.2.0' });
  const checkout = openFolder({ 'package.json': manifest, 'CHANGELOG.md': changelog });
  git(checkout.path, 'init', '--quiet');
  git(checkout.path, 'add', '--all');
  git(checkout.path, 'commit', '--quiet', '--message', 'Begin');
  return checkout;
}

/** Nothing of the machine's own configuration takes part. */
function git(cwd: string, ...args: string[]): void {
  const who = ['-c', 'user.name=Dossier', '-c', 'user.email=dossier@example.com'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  execFileSync('git', [...who, ...args], { cwd, env });
}
