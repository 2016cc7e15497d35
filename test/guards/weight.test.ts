import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** A little above today, so that growth is noticed. The commit that raises one says why. */
const ceilings: Record<string, number> = { src: 506_000, test: 407_000 };
const mostWordsOfDocs = 24_000;

test.each(Object.entries(ceilings))('%s weighs at most %d tokens', (folder, ceiling) => {
  const weight = filesOf(folder).reduce((sum, file) => sum + tokensIn(textOf(file)), 0);
  expect(weight).toBeGreaterThan(ceiling / 2);
  expect(weight).toBeLessThanOrEqual(ceiling);
});

test('documents can be read in an afternoon', () => {
  const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root });
  const isWritten = (page: string) => !textOf(page).slice(0, 400).includes('npm run docs');
  const words = pages.filter(isWritten).flatMap((page) => textOf(page).split(/\s+/));
  expect(words.length).toBeGreaterThan(10_000);
  expect(words.length).toBeLessThanOrEqual(mostWordsOfDocs);
});

function filesOf(folder: string): string[] {
  const pattern = join(root, folder, '**/*.{ts,tsx,css,sql,lua,json,html}');
  return globSync(pattern).map((file) => relative(root, file));
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Names, numbers, texts and signs, without comments. A template weighs what stands in it. */
function tokensIn(text: string): number {
  const token =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[A-Za-z_$][\w$]*|\d[\w.]*|=>|\?\?|\?\.|\.\.\.|[=!<>]=+|&&|\|\||[^\s\w]/g;
  const inTemplate = /[A-Za-z_$][\w$]*|\d[\w.]*|[^\s\w]/g;
  let count = 0;
  for (const [part] of text.matchAll(token)) {
    if (part.startsWith('//') || part.startsWith('/*')) continue;
    count += 1 + (part.startsWith('`') ? (part.slice(1, -1).match(inTemplate)?.length ?? 0) : 0);
  }
  return count;
}
