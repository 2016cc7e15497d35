import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('every error code is documented', () => {
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
  for (const code of Object.keys(errorCatalog)) expect(page).toContain(`| ${code} |`);
});

test('every exit code of the catalogue has a meaning', () => {
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
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

describe('the decisions', () => {
  const index = 'docs/decisions/README.md';
  const pages = decisions.filter((page) => page !== index);

  test('are all listed in their index, once', () => {
    const text = readFileSync(join(root, index), 'utf8');
    const listed = [...text.matchAll(/^\| \[([\w-]+\.md)\]\(\1\) \|/gm)].map(([, name]) => name);
    expect(pages.length).toBeGreaterThan(0);
    expect(listed.map((name) => `docs/decisions/${name}`).sort()).toEqual(pages.sort());
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
