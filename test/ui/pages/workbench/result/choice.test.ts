import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choiceIn, paramsOf } from '../../../../../src/ui/pages/workbench/result/choice.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1 });
const values = fc.uniqueArray(text, { minLength: 1, maxLength: 3 });
const choice = fc.record({
  search: fc.string({ unit: 'grapheme' }),
  facets: fc.record({ status: values, country: values }, { requiredKeys: [] }),
  sort: fc.constant('company_name'),
  isDescending: fc.boolean(),
  preset: fc.option(text),
  columns: fc.uniqueArray(text),
  isFixing: fc.boolean(),
  isPeople: fc.boolean(),
  row: fc.integer({ min: 1 }),
  page: fc.integer({ min: 1 }),
  size: fc.constantFrom(50, 100, 250, 500),
});

test('the address bar holds all that was chosen', () => {
  fc.assert(
    fc.property(choice, (chosen) => {
      const read = choiceIn(new URLSearchParams(paramsOf(chosen).toString()));
      expect({ ...read, facets: { ...read.facets } }).toEqual({
        ...chosen,
        facets: { ...chosen.facets },
      });
    }),
  );
});

test('nonsense in the address bar is as if nothing stood there', () => {
  const { row, page, size, sort } = choiceIn(new URLSearchParams('row=0&page=-1&size=9'));
  expect({ row, page, size, sort }).toEqual({ row: null, page: 1, size: 100, sort: null });
});
