import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldsOf } from '../../../src/core/columns/flatten-answer.ts';
import { Company } from '../../../src/core/contract/company.ts';
import { fullCompany } from './sample-records.ts';

test('every value of a full company is a field, in the order of the interface', () => {
  const { values } = fieldsOf(Company);
  expect(values.map(({ path }) => path)).toEqual(leafPaths(fullCompany()));
  expect(values.map(({ index }) => index)).toEqual(values.map((_, index) => index));
  expect(values.filter(({ description }) => description === '')).toEqual([]);
});

test('a kind of field that has no column type is noticed when the interface gains one', () => {
  expect(() => fieldsOf(z.object({ born: z.date() }))).toThrow('No column type for born');
});

const openMaps = ['org_registers', 'technographics', 'countries'];

function leafPaths(value: object, path: string[] = []): string[][] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const isLeaf = typeof inner !== 'object' || Array.isArray(inner) || openMaps.includes(key);
    return isLeaf ? [[...path, key]] : leafPaths(inner, [...path, key]);
  });
}
