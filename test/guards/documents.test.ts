import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedDocuments } from '../../scripts/docs/generated-documents.ts';
import { errorCatalog } from '../../src/core/errors.ts';

const root = join(import.meta.dirname, '../..');

test.each(Object.entries(await generatedDocuments()))(
  '%s is fresh: run `npm run docs`',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
  },
);

test('the subject of a commit fits on a line', () => {
  const log = execFileSync('git', ['log', '-20', '--no-merges', '--format=%s'], { cwd: root });
  const subjects = String(log).trim().split('\n');
  expect(subjects.filter((subject) => subject.length > 72)).toEqual([]);
});

test('every error code is documented', () => {
  const page = readFileSync(join(root, 'docs/exit-codes.md'), 'utf8');
  for (const code of Object.keys(errorCatalog)) expect(page).toContain(`| \`${code}\` |`);
});

test('every exit code of the catalogue has a meaning', () => {
  const page = readFileSync(join(root, 'docs/exit-codes.md'), 'utf8');
  for (const { exitCode } of Object.values(errorCatalog)) {
    expect(page).toMatch(new RegExp(`^\\| ${exitCode} \\| [a-z]`, 'm'));
  }
});

const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`);

test('files that documents name exist', () => {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const pages = ['CONTRIBUTING.md', 'SECURITY.md', ...docs.map((name) => `docs/${name}`)];
  const missing = [...pages, ...decisions].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const named = text.matchAll(/`((?:src|test|bench|scripts|deploy)\/[\w./-]+)`/g);
    return [...named].map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)));
  });
  expect(missing).toEqual([]);
});

test('files that comments name exist', () => {
  const sources = globSync('src/**/*.{ts,tsx,sql}', { cwd: root });
  const named = sources.flatMap((path) => [
    ...readFileSync(join(root, path), 'utf8').matchAll(/^\s*(?:\/?\*|\/\/).*?`([\w./-]+\.tsx?)`/gm),
  ]);
  expect(named.length).toBeGreaterThan(2);
  const paths = named.map(([, path]) => path);
  expect(paths.filter((path) => !sources.some((one) => one.endsWith(`/${path}`)))).toEqual([]);
});

test('a schema that editors should take is written by a command of the same page', () => {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  for (const page of pages) {
    const text = readFileSync(join(root, 'docs', page), 'utf8');
    for (const [, file] of text.matchAll(/\$schema=([\w.-]+)/g))
      expect(text).toContain(`> ${file}`);
  }
});

test.each([
  ['architecture', /after (\d+) answers/, 'run/calls/next-step', /batchSize = (\d+)/],
  ['architecture', /answers or (\d+) ms/, 'run/calls/next-step', /batchMs = (\d+)/],
  ['architecture', /up to (\d+) bodies/, 'engine/ledger/calls/bodies', /mostBodies = (\d+)/],
  ['architecture', /A list of (\d+) KB/, 'run/run-job', /leastBytes = (\d+) \* 1_024/],
  [
    'many-machines',
    /and (\d+) MB of both/,
    'integrations/share/shared-answers',
    /mostAnswerBytes = (\d+)_000_000/,
  ],
  ['many-machines', /at least (\d+) MB/, 'integrations/share/redis', /neededBytes = (\d+)e6/],
])('docs/%s.md has the figure of the code: %s', (page, said, source, written) => {
  const [, figure] = said.exec(readFileSync(join(root, `docs/${page}.md`), 'utf8')) ?? [];
  const [, own] = written.exec(readFileSync(join(root, `src/${source}.ts`), 'utf8')) ?? [];
  expect(figure).toBe(own);
  expect(own).toBeDefined();
});

describe('the decisions', () => {
  const index = 'docs/decisions/README.md';
  const pages = decisions.filter((page) => page !== index);

  test('are all listed in their index, once', () => {
    const text = readFileSync(join(root, index), 'utf8');
    const listed = [...text.matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \|/gm)].map(([, name]) => name);
    expect(pages.length).toBeGreaterThan(0);
    expect(listed.map((name) => `docs/decisions/${name}`).sort()).toEqual(pages.sort());
  });

  test.each(pages)('%s names constants that the code has', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const sources = [...text.matchAll(/`(src\/[\w./-]+)`/g)].map(([, path = '']) =>
      join(root, path),
    );
    const folders = sources.map((path) => (path.endsWith('.ts') ? dirname(path) : path));
    const code = [...new Set(folders)]
      .flatMap((folder) => globSync(join(folder, '*.ts')))
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
    const isConstant = /`([a-z]+(?:Ms|Size|Bytes|Bodies|Share|Names|Length))`/g;
    const unknown = [...text.matchAll(isConstant)].filter(
      ([, name]) => !new RegExp(`const ${name}\\b`).test(code),
    );
    expect(unknown.map(([name]) => name)).toEqual([]);
  });

  test.each(pages)('%s is short and says why', (page) => {
    const lines = readFileSync(join(root, page), 'utf8').split('\n');
    expect(lines.length).toBeLessThanOrEqual(51);
    expect(lines[0]).toMatch(/^# /);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Context',
      '## Decision',
      '## What follows',
      '## What was considered',
    ]);
  });
});
