import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeName } from '../../../../src/ui/workbench/lists/receive-list.ts';

test.each([
  ['Leads März (final).xlsx', 'Leads März (final).xlsx'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\leads.csv', 'leads.csv'],
  ['', 'list'],
  ['.bashrc', 'bashrc'],
  ['-rf.csv', 'rf.csv'],
  // Nobody else's file becomes the fixes of leads.yaml.
  ['leads.fixed.jsonl', 'leads-fixed.jsonl'],
  ['leads.csv. . .', 'leads.csv'],
  ['a\u0000b\nc\u202e.csv', 'abc.csv'],
])('a file called %j is stored as %j', (given, stored) => {
  expect(safeName(given)).toBe(stored);
});

test('a long name is cut, and what it is stays', () => {
  const name = safeName(`${'x'.repeat(500)}.csv.gz`);
  expect(name).toHaveLength(120);
  expect(name).toMatch(/x\.csv\.gz$/);
});

const signs = fc.constantFrom('/', '\\', '.', '-', ' ', ':', '\n', '.csv');
const units = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

test('no name leads out of the folder, hides the file or is empty', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(signs, units), { maxLength: 300 }), (given) => {
      const name = safeName(given.join(''));
      expect(name).toMatch(/^[^./\\~-][^/\\\p{C}]*$/u);
      expect(name.length).toBeLessThanOrEqual(120);
    }),
  );
});
