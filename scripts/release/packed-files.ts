import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from './problem.ts';

/** Files that the installed command needs to start and to do what its help says. */
const needed = [
  'dist/main.js',
  'dist/page/report.html',
  'dist/page/workbench.html',
  'dist/engine/ledger/migrations/',
  'dist/service/migrations/',
  'fixtures/leads/',
  'fixtures/sample/companies.jsonl',
  'fixtures/sample/people.jsonl',
  'jobs/demo.yaml',
  'deploy/',
  'docs/cli.md',
  'docs/json.md',
  'docs/openapi.json',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
];

/** Files that no user needs: sources, ledgers, tarballs, profiles, secrets. */
const unwanted = /\.(?:tsx?|db|db-wal|db-shm|tgz|cpuprofile)$|(?:^|\/)(?:\.env|\.npmrc)$/;

/** The files that `npm publish` would include, as npm lists them after `npm run build`. */
function packedFiles(root: string): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel', 'error'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const [packed] = JSON.parse(execFileSync('npm', args, options)) as [
    { files: { path: string }[] },
  ];
  return packed.files.map(({ path }) => path);
}

export function findPackageProblems(root: string): Problem[] {
  const files = packedFiles(root);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  const commands = Object.values(manifest.bin);
  const missing = [...needed, ...commands].filter(
    (path) => !files.some((file) => isOf(file, path)),
  );
  const stray = files.filter((file) => unwanted.test(file));
  return [
    ...[...new Set(missing)].map((path) => ({
      what: `The package lacks ${path}.`,
      remedy: 'Run `npm run build`, and look at "files" in package.json.',
    })),
    ...stray.map((path) => ({
      what: `The package holds ${path}, which no user needs.`,
      remedy: 'Remove the file, or leave it out in "files" of package.json.',
    })),
  ];
}

/** Whether the file is this path, or lies below it when the path ends with a slash. */
function isOf(file: string, path: string): boolean {
  return path.endsWith('/') ? file.startsWith(path) : file === path;
}
