import { expect, test } from 'vitest';
import { readYaml } from '../../src/job/read-yaml.ts';

test('every value is remembered with the place of its key and its own', () => {
  const source = 'a:\n  - b: 0123\n';
  const file = read(source);
  expect(file.value).toEqual({ a: [{ b: 123 }] });
  const written = file.writtenAt(['a', 0, 'b']);
  expect(written?.source).toBe('0123');
  expect(file.position(written?.keyOffset ?? 0)).toEqual({ line: 2, column: 5 });
  expect(file.position(written?.valueOffset ?? 0)).toEqual({ line: 2, column: 8 });
  expect(file.writtenAt(['a', 1])).toBeUndefined();
});

test('what an alias repeats stands where the anchor is', () => {
  const file = read('a: &a {b: 1}\nc: *a\n');
  expect(file.value).toEqual({ a: { b: 1 }, c: { b: 1 } });
  expect(file.position(file.writtenAt(['c'])?.valueOffset ?? 0)).toEqual({ line: 2, column: 4 });
  expect(file.position(file.writtenAt(['c', 'b'])?.valueOffset ?? 0)).toEqual({
    line: 1,
    column: 11,
  });
});

test('a quote that is never closed does not shift the lines', () => {
  const [problem] = read('a: 1\nb: "x\nc: 2\n').problems;
  expect(read('a: 1\nb: "x\nc: 2\n').position(problem?.offset ?? 0).line).toBeGreaterThan(1);
  expect(read('a: "x\n\n\nb').position(8)).toEqual({ line: 4, column: 1 });
});

test('a key that reads __proto__ is a key like any other', () => {
  const { value } = read('__proto__: {polluted: true}\n');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

function read(source: string) {
  return readYaml(source, (text) => ({ text, isExpanded: false }));
}
