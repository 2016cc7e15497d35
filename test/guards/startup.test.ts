import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { RunEnd } from '../../src/results/manifest.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Makes a process print the packages that it loads on standard error. */
const spy = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
    if (name) loaded.add(name);
    return next(url, context);
  },
});
process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])));
`;

const { dependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

test.each(['--help', 'run --help'])(
  'dossier %s loads only the packages that read command lines',
  (line) => {
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(spy)}`];
    const args = [packagePath('src/main.ts'), ...line.split(' ').filter(Boolean)];
    const { stderr } = spawnSync(process.execPath, [...flags, ...args], { encoding: 'utf8' });
    const loaded = JSON.parse(stderr.slice(stderr.lastIndexOf('['))) as string[];
    // The help of a job's flags stands in its schema.
    const wanted = line === 'run --help' ? ['yargs', 'zod'] : ['yargs'];
    expect(loaded.filter((name) => name in dependencies)).toEqual(wanted);
  },
);

test.each(['run leads.csv --url embedded --json', 'check leads.csv --url embedded'])(
  'dossier %s does not load Redis, object store, PostgreSQL and metrics packages',
  (line) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'leads.csv'), 'website\nlarchhaven-apps-sample.com\n');
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(spy)}`];
    const args = [packagePath('src/main.ts'), ...line.split(' ')];
    const { status, stderr } = spawnSync(process.execPath, [...flags, ...args], {
      cwd: folder.path,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const loaded = JSON.parse(stderr.slice(stderr.lastIndexOf('['))) as string[];
    expect(loaded).toContain('yargs');
    expect(
      loaded.filter((name) =>
        /^(?:bullmq|ioredis|pg(?:-.*)?|prom-client|@(?:aws-sdk|smithy|opentelemetry)\/.*)$/.test(
          name,
        ),
      ),
    ).toEqual([]);
  },
);

test.each([
  ['src/main.ts', 64, 'Install Node 22.19 or newer'],
  ['scripts/prepare.js', 1, 'npm ci brings one with it'],
])('%s refuses an older Node with a sentence', (path, exitCode, remedy) => {
  const older = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });`;
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, packagePath(path)], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: exitCode, stdout: '' });
  expect(stderr).toContain(remedy);
  expect(stderr).not.toContain('    at ');
});

test('an older Node is refused in JSON if the run prints JSON', () => {
  const older = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });`;
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];
  const run = ['run', 'leads.csv', '--json', '--log-format', 'json'];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...flags, packagePath('src/main.ts'), ...run],
    { encoding: 'utf8' },
  );
  expect(RunEnd.parse(JSON.parse(stdout))).toMatchObject({ exitCode: 64, reason: 'NODE_TOO_OLD' });
  const [failed, ended] = stderr.split('\n');
  expect(JSON.parse(failed ?? '')).toMatchObject({ event: 'run.failed', code: 'NODE_TOO_OLD' });
  expect(JSON.parse(ended ?? '')).toMatchObject({ event: 'run.ended', exitCode: 64 });
});

test('nothing that an older Node lacks is imported by name before its version is looked at', () => {
  const main = readFileSync(packagePath('src/main.ts'), 'utf8');
  expect(main).not.toMatch(/^import \{[^}]*\} from 'node:/m);
});
