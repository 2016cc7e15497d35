import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shippedDependencies } from '../../scripts/docs/licences.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { readSource } from './deploy-files.ts';

const dockerfile = readSource('Dockerfile').replaceAll(/\\\n\s*/g, ' ');
const [, lastStage = ''] = dockerfile.split(/^FROM \$\{BASE\}$/m);

/** The arguments of an instruction, each time it is given. */
function all(instruction: string, text: string): string[] {
  const pattern = new RegExp(`^${instruction} (.*)$`, 'gm');
  return [...text.matchAll(pattern)].map(([, given = '']) => given);
}

test('the image runs the Node that the repository is tested with', () => {
  const { devDependencies } = JSON.parse(readSource('package.json'));
  const [major] = devDependencies.node.split('.');
  expect(all('ARG', dockerfile)).toEqual([`BASE=docker.io/library/node:${major}-slim`]);
});

test('copied files exist, and .dockerignore lets them in', () => {
  const allowed = readSource('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const sources = all('COPY', dockerfile)
    .filter((given) => !given.startsWith('--from'))
    .flatMap((given) => given.split(' ').slice(0, -1))
    .filter((source) => source !== '.');
  expect(sources.length).toBeGreaterThan(5);
  for (const source of sources) {
    expect(existsSync(join(import.meta.dirname, '../..', source)), source).toBe(true);
    const isAllowed = allowed.some((path) => source === path || source.startsWith(`${path}/`));
    expect(isAllowed, `${source} in .dockerignore`).toBe(true);
  }
});

test('all that the package publishes is in the image', () => {
  const { files } = JSON.parse(readSource('package.json')) as { files: string[] };
  const copied = all('COPY', lastStage).join(' ').split(' ');
  for (const file of files) expect(copied).toContain(file === 'dist' ? '/build/dist' : file);
});

test('its packages are those of the lock: the optional peers too, and nothing else for developers', () => {
  using folder = temporaryFolder();
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(packagePath(name), join(folder.path, name));
  }
  const inside = { cwd: folder.path, encoding: 'utf8' } as const;
  const install = all('RUN', dockerfile).find((given) => given.includes('--omit=dev')) ?? '';
  const [script = '', command = ''] = install.split(/\s*&& npm /);
  execFileSync(process.execPath, [packagePath(script.replace('node ', ''))], inside);
  const args = [...command.split(' '), '--offline', '--dry-run', '--loglevel', 'error'];
  const added = execFileSync('npm', args, inside)
    .split('\n')
    .filter((line) => line.startsWith('add '))
    .map((line) => line.slice('add '.length).replace(' ', '@'));
  const known = shippedDependencies().map(({ name, version }) => `${name}@${version}`);
  expect(added.filter((name) => !known.includes(name))).toEqual([]);
  const { dependencies } = JSON.parse(readFileSync(join(folder.path, 'package.json'), 'utf8'));
  const { peerDependencies } = JSON.parse(readSource('package.json'));
  expect(Object.keys(peerDependencies)).toHaveLength(5);
  for (const name of Object.keys(peerDependencies)) {
    expect(added).toContain(`${name}@${dependencies[name]}`);
  }
});
