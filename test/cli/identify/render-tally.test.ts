import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startTally } from '../../../src/cli/identify/identify-tally.ts';
import { renderTally } from '../../../src/cli/identify/render-tally.ts';
import { identifyCell } from '../../../src/identify/identify-cell.ts';

/** A stream with the properties of a terminal that the table reads. */
function terminal(columns: number | undefined): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), { columns }) as unknown as NodeJS.WriteStream;
}

function render(cells: readonly string[], columns: number | undefined): string[] {
  const tally = startTally();
  for (const cell of cells) tally.add(cell, identifyCell(cell, 'auto'));
  return renderTally('a list', tally.counts(), terminal(columns)).split('\n');
}

const cells = [`https://acme.com/${'x'.repeat(300)}`, 'jane@gmail.com', '51824753557', 'n/a', ''];

test.each([40, 60, 80, 120, 200])('no line is wider than a terminal of %d columns', (columns) => {
  for (const line of render(cells, columns)) expect(line.length).toBeLessThan(columns);
});

test('a file or an unknown terminal is taken for 80 columns', () => {
  expect(render(cells, undefined)).toEqual(render(cells, 80));
  expect(render(cells, 0)).toEqual(render(cells, 80));
});

test('control characters of a list do not reach the terminal', () => {
  expect(render(['\u001b]0;owned\u0007\u001b[31mx'], 80).join('')).not.toMatch(/\p{Cc}/u);
});

test('an empty list has no shares', () => {
  expect(render([], 80).join('\n')).toMatch(/^a list: 0 values\n\naccepted +0\n\nrejected +0\n$/);
});

test('a long name and a large number stay apart', () => {
  const lines = render(Array(100_000).fill('acme'), 80);
  expect(lines).toContain('  not_a_domain  100,000  acme');
});

test('a value counts as a duplicate only within its own column', () => {
  const tally = startTally();
  const result = identifyCell('acme.com', 'auto');
  tally.add('acme.com', result, 'Website');
  tally.add('jane@acme.com', result, 'Email');
  tally.add('www.acme.com', result, 'Website');
  expect(tally.counts().duplicates).toEqual({ count: 1, example: 'www.acme.com' });
});
