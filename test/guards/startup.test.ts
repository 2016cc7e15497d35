import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { RunEnd } from '../../src/run/run-schemas.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Makes a process print the packages and files that it loads on standard error. */
const spy = `
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
const loaded = new Set();
const { readFileSync } = fs;
fs.readFileSync = (path, options) => {
  loaded.add(String(path));
  return readFileSync(path, options);
};
syncBuiltinESMExports();
registerHooks({
  load(url, context, next) {
    const [, name] = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
    if (name) loaded.add(name);
    return next(url, context);
  },
});
process.on('exit', () => process.stderr.write(JSON.stringify([...loaded])));
`;
const olderNode = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });`;

/** Runs a program after this module. */
function runAfter(module: string, line: string, cwd?: string) {
  const [program = '', ...args] = line.split(' ');
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(module)}`];
  return spawnSync(process.execPath, [...flags, packagePath(program), ...args], {
    cwd,
    encoding: 'utf8',
  });
}

function loadedBy(line: string, cwd?: string): string[] {
  const { status, stderr } = runAfter(spy, `src/main.ts ${line}`, cwd);
  expect(status, stderr).toBe(0);
  return JSON.parse(stderr.slice(stderr.lastIndexOf('[')));
}

test.each([
  ['--help', ['yargs']],
  // The help of job flags comes from the job schema.
  ['run --help', ['yargs', 'zod']],
])('dossier %s loads only the packages that read command lines', (line, wanted) => {
  const { dependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  expect(loadedBy(line).filter((name) => name in dependencies)).toEqual(wanted);
});

test('a plain run does not load sample people, nor Redis, object store, PostgreSQL and metrics packages', () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'leads.csv'), 'website\nlarchhaven-apps-sample.com\n');
  const loaded = loadedBy('run leads.csv --url embedded --json', folder.path);
  expect(loaded).toContain('yargs');
  const others =
    /^(?:bullmq|ioredis|pg(?:-.*)?|prom-client|@(?:aws-sdk|smithy|opentelemetry)\/.*|.*people\.jsonl)$/;
  expect(loaded.filter((name) => others.test(name))).toEqual([]);
});

test.each([
  ['src/main.ts', 64, 'Install Node 22.19 or newer'],
  ['scripts/prepare.js', 1, 'npm ci brings one with it'],
])('%s refuses an older Node with a sentence', (path, exitCode, remedy) => {
  const { status, stdout, stderr } = runAfter(olderNode, path);
  expect({ status, stdout }).toEqual({ status: exitCode, stdout: '' });
  expect(stderr).toContain(remedy);
  expect(stderr).not.toContain('    at ');
});

test('an older Node is refused in JSON if the run prints JSON', () => {
  const line = 'src/main.ts run leads.csv --json --log-format json';
  const { stdout, stderr } = runAfter(olderNode, line);
  expect(RunEnd.parse(JSON.parse(stdout))).toMatchObject({ exitCode: 64, reason: 'NODE_TOO_OLD' });
  const [failed, ended] = stderr.split('\n');
  expect(JSON.parse(failed ?? '')).toMatchObject({ event: 'run.failed', code: 'NODE_TOO_OLD' });
  expect(JSON.parse(ended ?? '')).toMatchObject({ event: 'run.ended', exitCode: 64 });
});

test('main.ts imports nothing by name that an older Node lacks', () => {
  const main = readFileSync(packagePath('src/main.ts'), 'utf8');
  expect(main).not.toMatch(/^import \{[^}]*\} from 'node:/m);
});
