import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { failureText } from '../../../src/cli/terminal/terminal.ts';
import { DossierError } from '../../../src/core/errors.ts';
import { terminal } from '../../support/terminal.ts';

const path = `lists/${'long-'.repeat(6)}leads.csv`;
const error = new DossierError('INPUT_INVALID', `${path}, line 7: a quote opens here\n  7 | "Acme`);

test('a log has an error on one line, however long', () => {
  expect(failureText(error, terminal(40)).split('\n')).toEqual([
    `dossier: INPUT_INVALID: ${path}, line 7: a quote opens here`,
    '  7 | "Acme',
    'Fix what the message names, then try again.',
    '',
  ]);
});

test('a terminal breaks it between words', () => {
  const stream = Object.assign(terminal(60), { isTTY: true as const });
  const lines = stripVTControlCharacters(failureText(error, stream)).split('\n');
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) expect(line.length).toBeLessThan(60);
  expect(lines).toContain('  7 | "Acme');
  // People read words first.
  expect(lines[0]).not.toContain('INPUT_INVALID');
  expect(lines.at(-2)).toContain('INPUT_INVALID');
});
