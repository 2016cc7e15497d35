import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameColumns } from '../../../src/lists/header.ts';

test.each([
  [
    ['name', 'name', 'name_2'],
    ['name', 'name_3', 'name_2'],
  ],
  [
    ['a', 'b', '', ' '],
    ['a', 'b', 'column_3', 'column_4'],
  ],
  [
    [' name ', 'site\t'],
    ['name', 'site'],
  ],
  [
    ['__proto__', 'constructor', '__proto__'],
    ['__proto__', 'constructor', '__proto___2'],
  ],
])('names %j as %j', (header, columns) => expect(nameColumns(header)).toEqual(columns));

test('no two columns share a name', () => {
  const cell = fc.constantFrom('', ' ', 'a', 'a_2', 'a_3', 'column_1', 'column_2', 'column');
  fc.assert(
    fc.property(fc.array(cell), (header) => {
      const columns = nameColumns(header);
      expect(new Set(columns).size).toBe(header.length);
      expect(columns).not.toContain('');
    }),
  );
});
