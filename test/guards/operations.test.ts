import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { helpOf } from '../../src/cli/program.ts';
import { testWhere } from '../support/needs.ts';

const root = join(import.meta.dirname, '../..');

describe.each(['docs/operations.md', 'docs/metrics.md', 'docs/exit-codes.md'])('%s', (page) => {
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
      ...lines.matchAll(/dossier (run|plan|check|status|serve|export|ledger [a-z]+)\b(.*)$/gm),
    ];
    for (const [, command = '', rest = ''] of uses) {
      const help = await helpOf(command.split(' '));
      for (const [flag] of rest.matchAll(/(?<= )--[a-z-]+/g)) expect(help).toContain(`${flag} `);
    }
  });

  test('links to what is there', () => {
    const links = [...text.matchAll(/\]\(([^)#:]+)[^)]*\)/g)].map(([, link = '']) => link);
    for (const link of links) expect(existsSync(join(root, dirname(page), link)), link).toBe(true);
  });
});
