import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/*
 * Publishes the checked-out version to npm. `.github/workflows/release.yml` runs it after all tests.
 *
 *   npm run release -- --check           lists what is missing, and publishes nothing
 *   npm run -s release -- --notes 0.2.0  prints what the changelog says about a version
 *   npm run release -- --tag v0.2.0      publishes that tag; without --tag, the version of package.json
 */
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    notes: { type: 'string' },
    tag: { type: 'string' },
  },
});
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = options.tag ?? `v${version}`;

if (options.notes !== undefined) {
  const notes = notesOf(options.notes.replace(/^v/, ''));
  if (!notes) fail(`CHANGELOG.md says nothing about ${options.notes}.`);
  say(notes);
} else {
  const problems = findProblems();
  if (problems.length > 0) fail([`${tag} is not ready:`, ...problems].join('\n  '));
  say(`Tag, checkout and changelog of ${tag} fit together.`);
  if (!options.check) publish();
}

function findProblems(): string[] {
  const tagged = git('tag', '--list', tag) && git('rev-parse', `${tag}^{commit}`);
  const changed = git('status', '--porcelain');
  return [
    ...(tag === `v${version}`
      ? []
      : [`package.json says ${version}. Set the version, and commit.`]),
    ...(tagged || options.check ? [] : [`There is no such tag. Run \`git tag ${tag}\`.`]),
    ...(tagged === '' || tagged === git('rev-parse', 'HEAD') ? [] : ['It tags another commit.']),
    ...(changed === '' ? [] : [`Files differ from their commit:\n${changed}`]),
    ...(notesOf(version) ? [] : [`CHANGELOG.md needs a section "## ${version} - <date>".`]),
  ];
}

/** `## 0.2.0 - 2026-12-01` begins the notes of 0.2.0. */
function notesOf(wanted: string): string {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === wanted) ?? '';
  return section.replace(/.*\n?/, '').trim();
}

function publish(): void {
  const env = withToken();
  // A workflow that failed half-way is started again, so the version may be there.
  const asked = ['view', `${name}@${version}`, 'version', '--json', '--loglevel', 'error'];
  const found = spawnSync('npm', asked, { encoding: 'utf8', env });
  if (found.status === 0 && found.stdout.trim() !== '') {
    say(`${name} ${version} is published already.`);
    return;
  }
  if (found.status !== 0 && !found.stdout.includes('E404')) fail(found.stderr);
  execFileSync('npm', ['run', 'build'], { stdio: 'inherit' });
  // npm requires a tag for a prerelease, so that `latest` stays a release.
  const channel = version.includes('-') ? 'next' : 'latest';
  const args = ['publish', '--provenance', '--access', 'public', '--tag', channel];
  execFileSync('npm', args, { stdio: 'inherit', env });
  say(`${name} ${version} is published.`);
}

/**
 * Where npm trusts the workflow itself, no token is needed. The first version of a package needs
 * one: NPM_TOKEN. It is passed in the environment, because arguments show in the list of processes.
 */
function withToken(): NodeJS.ProcessEnv {
  const { NPM_TOKEN, ...env } = process.env;
  if (!NPM_TOKEN) return env;
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const { host, pathname } = new URL(registry);
  return { ...env, [`npm_config_//${host}${pathname}:_authToken`]: NPM_TOKEN };
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(message: string): never {
  process.stderr.write(`release: ${message}\n`);
  process.exit(1);
}
