import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { notesOf } from '../../scripts/release/changelog.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const changelog = `# Changelog

## Unreleased

## 0.2.0 - 2026-12-01

### Added

- run: something new.

## 0.1.0

- The first.
`;

describe('the notes of a version', () => {
  test.each([
    ['0.2.0', '### Added\n\n- run: something new.'],
    ['0.1.0', '- The first.'],
    ['Unreleased', ''],
    ['0.2', undefined],
    ['0.3.0', undefined],
  ])('of %s are the text between its heading and the next', (version, notes) => {
    expect(notesOf(changelog, version)).toBe(notes);
  });
});

describe('a release', () => {
  test('is ready if tag, version, changelog and lock agree', async () => {
    using checkout = smallCheckout();
    const untagged = await release(checkout.path);
    expect(untagged.exitCode).toBe(65);
    expect(untagged.stderr).toContain('It has no tag of a version.\n    Run `git tag v0.2.0`');
    git(checkout.path, 'tag', 'v0.2.0');
    expect(await release(checkout.path, '--check')).toEqual({
      exitCode: 0,
      stdout: 'Tag, checkout, changelog and lock of v0.2.0 fit together.\n',
      stderr: '',
    });
    git(checkout.path, 'commit', '--allow-empty', '--message', 'Go on');
    const moved = await release(checkout.path, '--check', '--tag', 'v0.2.0');
    expect(moved.exitCode).toBe(65);
    expect(moved.stderr).toContain('v0.2.0 is the tag of another commit than the one checked out.');
  });

  test('names all problems at once, each with a remedy', async () => {
    using checkout = smallCheckout();
    edit(checkout.path, 'CHANGELOG.md', (text) =>
      text.replace('## 0.2.0 - 2026-12-01', '## 0.1.9'),
    );
    edit(checkout.path, 'package.json', (text) => text.replace('"5.0.0"', '"5.1.0"'));
    const { exitCode, stdout, stderr } = await release(checkout.path, '--check', '--tag', 'v0.3.0');
    expect({ exitCode, stdout }).toEqual({ exitCode: 65, stdout: '' });
    expect(stderr).toBe(`release: v0.3.0 is not ready; nothing was published.

  The tag is v0.3.0, but package.json says 0.2.0.
    Run \`npm version 0.3.0 --no-git-tag-version\`, commit, and tag that commit.
  The checkout differs from its commit: M CHANGELOG.md, M package.json.
    Commit or remove these changes; what is published is what the tag names.
  CHANGELOG.md has no section for 0.2.0.
    Put "## 0.2.0 - <date>" below "## Unreleased", above what this version brings.
  package-lock.json is out of step with package.json: dependencies.
    Run \`npm install --package-lock-only\` and commit the lock.
`);
  });

  test('is postponed if npm cannot be reached', async () => {
    using checkout = smallCheckout({ repository: 'github:example/dossier' });
    git(checkout.path, 'tag', 'v0.2.0');
    const nowhere = 'http://127.0.0.1:1/';
    const { exitCode, stdout, stderr } = await release(checkout.path, {
      ACTIONS_ID_TOKEN_REQUEST_URL: nowhere,
      npm_config_registry: nowhere,
      npm_config_fetch_retries: '0',
    });
    expect(exitCode).toBe(69);
    expect(stdout).not.toContain('published');
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).toContain('start the workflow again');
  });
});

describe('this repository', () => {
  test('is ready once its changelog names the version, and is published once', async () => {
    using checkout = copyOfThisRepository();
    const { version } = readManifest(checkout.path);
    edit(checkout.path, 'CHANGELOG.md', (text) =>
      notesOf(text, version) ? text : text.replace('## Unreleased\n', `## ${version}\n`),
    );
    edit(checkout.path, 'package.json', (text) =>
      text.replace('{', '{ "repository": "github:example/dossier",'),
    );
    commitAll(checkout.path);
    git(checkout.path, 'tag', `v${version}`);

    expect(await release(checkout.path, '--check')).toMatchObject({ exitCode: 0, stderr: '' });

    const versions = { [version]: { name: 'dossier', version } };
    const known = { name: 'dossier', 'dist-tags': { latest: version }, versions };
    await using registry = await openHostileServer({ body: JSON.stringify(known) });
    const published = await release(checkout.path, {
      ACTIONS_ID_TOKEN_REQUEST_URL: registry.url,
      NPM_TOKEN: 'token-of-the-registry',
      npm_config_registry: `${registry.url}/`,
    });
    expect(published).toMatchObject({ exitCode: 0, stderr: '' });
    expect(published.stdout).toContain(`dossier ${version} is published already.`);
    expect(registry.seen).toMatchObject([
      {
        method: 'GET',
        path: '/dossier',
        headers: { authorization: 'Bearer token-of-the-registry' },
      },
    ]);
  }, 120_000);

  test('is not packed without its page and its migrations', async () => {
    using checkout = smallCheckout();
    const { exitCode, stderr } = await release(checkout.path, '--dry-run', '--tag', 'v0.2.0');
    expect(exitCode).toBe(65);
    expect(stderr).toContain('The package lacks dist/page/report.html.');
    expect(stderr).toContain('The package lacks dist/engine/ledger/migrations/.');
    expect(stderr).toContain('The package holds dist/main.ts, which no user needs.');
  });
});

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the script in a checkout; an object among the arguments is its environment. */
function release(cwd: string, ...args: (string | Record<string, string>)[]): Promise<Ended> {
  const words = args.filter((arg) => typeof arg === 'string');
  const added = args.filter((arg) => typeof arg !== 'string');
  const env = cleanEnvironment(Object.assign({ npm_config_loglevel: 'error' }, ...added));
  const script = packagePath('scripts/release.ts');
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [script, ...words],
      { cwd, env },
      (_, stdout, stderr) => resolve({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}

/** A repository with what a release looks at, committed, and with a package that lacks most. */
function smallCheckout(more: Record<string, unknown> = {}): Disposable & { readonly path: string } {
  const checkout = temporaryFolder();
  const { path } = checkout;
  const manifest = {
    name: 'dossier',
    version: '0.2.0',
    bin: { dossier: 'dist/main.js' },
    files: ['dist'],
    scripts: { build: 'mkdir -p dist && touch dist/main.js dist/main.ts' },
    dependencies: { fastify: '5.0.0' },
    ...more,
  };
  const { name, version, dependencies } = manifest;
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(path, 'package-lock.json'),
    JSON.stringify({ packages: { '': { name, version, dependencies } } }),
  );
  writeFileSync(join(path, 'CHANGELOG.md'), changelog);
  writeFileSync(join(path, '.gitignore'), 'dist/\n');
  commitAll(path);
  return checkout;
}

/** The files of this repository that a release looks at. */
function copyOfThisRepository(): Disposable & { readonly path: string } {
  const checkout = temporaryFolder();
  for (const file of ['package.json', 'package-lock.json', 'CHANGELOG.md']) {
    copyFileSync(packagePath(file), join(checkout.path, file));
  }
  return checkout;
}

function readManifest(folder: string): { version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
}

function edit(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

function commitAll(folder: string): void {
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'Begin');
}

/** Nothing of the machine's own configuration takes part. */
function git(cwd: string, ...args: string[]): string {
  const who = { name: 'Dossier', email: 'dossier@example.com' };
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: who.name,
      GIT_AUTHOR_EMAIL: who.email,
      GIT_COMMITTER_NAME: who.name,
      GIT_COMMITTER_EMAIL: who.email,
    },
  }).trim();
}
