import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Reading } from '../../src/identify/identifier.ts';
import { identifyCell } from '../../src/identify/identify-cell.ts';

interface Vector {
  readonly input: string;
  readonly as: Reading;
  readonly reject?: string;
  readonly kind?: string;
  readonly value?: string;
  readonly derivedFrom?: string;
}

const vectors = readFileSync('fixtures/vectors/identifiers.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

describe('the agreed cases', () => {
  test('are all there', () => expect(vectors.length).toBeGreaterThanOrEqual(91));

  test.each(vectors)('$input as $as comes out as agreed', ({ input, as, ...expected }) => {
    const result = identifyCell(input, as);
    if (expected.reject !== undefined) {
      expect(result).toMatchObject({ reject: expected.reject, message: expect.any(String) });
      return;
    }
    const { alternates: _, ...main } = result as { alternates?: unknown };
    expect(main).toEqual(expected);
  });
});
