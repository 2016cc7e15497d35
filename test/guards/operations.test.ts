import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { helpOf } from '../../scripts/docs/help-of.ts';
import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { testWhere } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');

const pages = ['operations', 'many-machines', 'platform', 'metrics', 'exit-codes'];

describe.each(pages.map((name) => `docs/${name}.md`))('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const snippets = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);

  testWhere('bash')('has commands that a shell can read', () => {
    for (const snippet of snippets) execFileSync('bash', ['-n', '-c', snippet]);
  });

  test('names commands and flags that there are', async () => {
    const lines = snippets
      .join('')
      .replaceAll(/\\\n\s*/g, ' ')
      .replaceAll(/#.*$/gm, '');
    const uses = [
      ...lines.matchAll(
        /dossier (run|plan|check|status|changes|spend|lookup|serve|export|ledger [a-z]+)\b(.*)$/gm,
      ),
    ];
    for (const [command, lines] of Map.groupBy(uses, ([, command = '']) => command)) {
      const help = await helpOf(command.split(' '));
      for (const [flag] of lines.join('\n').matchAll(/(?<= )--[a-z-]+/g)) {
        expect(help).toContain(`${flag} `);
      }
    }
  });
});

describe('the night at work of docs/operations.md', () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8');

  test('begins with a job that Dossier takes', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'nightly.yaml');
    writeFileSync(path, /^```yaml\n(.*?)^```$/ms.exec(text)?.[1] ?? '');
    const { job } = loadJob(path, { DOSSIER_URL: 'http://127.0.0.1:1' });
    expect(job).toMatchObject({ name: 'nightly', ledger: { mustExist: true } });
  });

  test('says what to do about every exit code', () => {
    const [, table = ''] = /^## What to do about each exit code\n(.*?)^## /ms.exec(text) ?? [];
    const told = [...table.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes = '']) =>
      codes.split(', ').map(Number),
    );
    expect(told).toEqual(expect.arrayContaining(Object.keys(exitCodes).map(Number)));
  });
});

test('the job of docs/many-machines.md is one, and its keys are the defaults', () => {
  using folder = temporaryFolder();
  const text = readFileSync(join(root, 'docs/many-machines.md'), 'utf8');
  const path = join(folder.path, 'nightly.yaml');
  writeFileSync(path, /^```yaml\n(.*?)^```$/ms.exec(text)?.[1] ?? '');
  const env = { DOSSIER_URL: 'http://127.0.0.1:1' };
  const { service } = loadJob(path, env).job;
  expect(service).toHaveProperty('share', `\${DOSSIER_SHARE}`);
});

test('links lead to pages and headings that there are', () => {
  const inDocs = ['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inDocs].filter((page) =>
    page.endsWith('.md'),
  );
  const read = (page: string) => readFileSync(join(root, page), 'utf8');
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)].map(([, to = '', heading = '']) => ({
      page,
      target: to ? join(dirname(page), to) : page,
      heading,
    })),
  );
  expect(links.length).toBeGreaterThan(10);
  const missing = links.filter(
    ({ target, heading }) =>
      !existsSync(join(root, target)) || (heading && !anchors(read(target)).includes(heading)),
  );
  expect(missing).toEqual([]);
});

/** The names by which GitHub lets a link reach the headings of a page. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
