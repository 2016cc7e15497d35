import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldType, ValueField } from '../../../src/records/columns/interface-fields.ts';
import { coerce } from '../../../src/records/flatten/coerce.ts';
import { findDrift } from '../../../src/records/flatten/drift.ts';
import { jsonText } from '../../../src/records/flatten/json-text.ts';
import { regularCell } from '../../../src/records/flatten/regular-cell.ts';
import { arbitraryText } from './arbitrary-answer.ts';

const fieldOf = (type: FieldType, mapOf?: 'text' | 'list'): ValueField => ({
  ...{ path: ['field'], type, description: '', index: 0 },
  ...(mapOf && { mapOf }),
});
const fields = [
  ...(['text', 'integer', 'decimal', 'boolean', 'list', 'json'] as const).map((type) =>
    fieldOf(type),
  ),
  fieldOf('json', 'text'),
  fieldOf('json', 'list'),
];
const values = fc
  .oneof(
    arbitraryText(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.boolean(),
    fc.array(fc.oneof(arbitraryText(), fc.integer(), fc.constant(null)), { maxLength: 4 }),
    fc.dictionary(fc.string(), fc.oneof(arbitraryText(), fc.constant(null), fc.array(fc.string()))),
    fc.jsonValue(),
  )
  .filter((value) => value !== null);

test('a value that comes as the interface says is the cell that it would be coerced to, without drift', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fields), values, (field, value) => {
      const cell = regularCell(field, value);
      if (cell === undefined) return;
      expect(cell).toEqual(field.type === 'json' ? jsonText(value) : coerce(field.type, value));
      const drifts: never[] = [];
      findDrift(field, value, drifts);
      expect(drifts).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
