import { execFileSync, spawnSync } from 'node:child_process';
import type { Manifest } from './check-release.ts';
import type { Problem } from './problem.ts';

/**
 * What npm needs to attest from which repository and commit a package comes. Only a workflow has
 * the identity (`id-token: write`), so nothing is published from a machine at hand.
 */
export function findPublishProblems(manifest: Manifest, env: NodeJS.ProcessEnv): Problem[] {
  const problems: Problem[] = [];
  if (!env.ACTIONS_ID_TOKEN_REQUEST_URL) {
    problems.push({
      what: 'npm cannot attest here where the package comes from.',
      remedy:
        'Push the tag: the release workflow publishes it. `--dry-run` does everything else here.',
    });
  }
  if (!manifest.repository) problems.push(repositoryProblem);
  return problems;
}

export const repositoryProblem: Problem = {
  what: 'package.json names no repository, and npm attests no package without it.',
  remedy: 'Run `npm pkg set repository.url=<address of the repository>` and commit.',
};

/**
 * Looks whether npm has this version. A release that failed half-way is started again as a whole,
 * so it may be there already.
 */
export function lookUpVersion(
  root: string,
  { name, version }: Manifest,
): 'published' | 'absent' | 'unknown' {
  const args = ['view', `${name}@${version}`, 'version', '--json', '--loglevel', 'error'];
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    env: withToken(),
  });
  if (status === 0) return stdout.trim() === '' ? 'absent' : 'published';
  if (stdout.includes('E404')) return 'absent';
  process.stderr.write(stderr);
  return 'unknown';
}

export function publish(root: string, { version }: Manifest): boolean {
  // npm takes a version with a dash only under a name of its own, so that `latest` stays a release.
  const channel = isPrerelease(version) ? 'next' : 'latest';
  const args = ['publish', '--provenance', '--access', 'public', '--tag', channel];
  return spawnSync('npm', args, { cwd: root, stdio: 'inherit', env: withToken() }).status === 0;
}

function isPrerelease(version: string): boolean {
  return version.includes('-');
}

/**
 * Where npm trusts the workflow itself, no token is needed. The first version of a package needs
 * one: NPM_TOKEN. It travels in the environment, since arguments stand in the list of processes.
 */
function withToken(): NodeJS.ProcessEnv {
  const { NPM_TOKEN, ...env } = process.env;
  if (!NPM_TOKEN) return env;
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const { host, pathname } = new URL(registry);
  return { ...env, [`npm_config_//${host}${pathname}:_authToken`]: NPM_TOKEN };
}
