import { expect, test } from 'vitest';
import { readYaml } from '../../../src/job/file/read-yaml.ts';

test('every value is kept with the positions of its key and itself', () => {
  const source = 'a:\n  - b: 0123\n';
  const file = read(source);
  expect(file.value).toEqual({ a: [{ b: 123 }] });
  const written = file.writtenAt(['a', 0, 'b']);
  expect(written?.source).toBe('0123');
  expect(file.position(written?.keyOffset ?? 0)).toEqual({ line: 2, column: 5 });
  expect(file.position(written?.valueOffset ?? 0)).toEqual({ line: 2, column: 8 });
  expect(file.writtenAt(['a', 1])).toBeUndefined();
});

test('the values of an alias have the positions of its anchor', () => {
  const file = read('a: &a {b: 1}\nc: *a\n');
  expect(file.value).toEqual({ a: { b: 1 }, c: { b: 1 } });
  expect(file.position(file.writtenAt(['c'])?.valueOffset ?? 0)).toEqual({ line: 2, column: 4 });
  expect(file.position(file.writtenAt(['c', 'b'])?.valueOffset ?? 0)).toEqual({
    line: 1,
    column: 11,
  });
});

test('a quote that does not close does not shift the line numbers', () => {
  const [problem] = read('a: 1\nb: "x\nc: 2\n').problems;
  expect(read('a: 1\nb: "x\nc: 2\n').position(problem?.offset ?? 0).line).toBeGreaterThan(1);
  expect(read('a: "x\n\n\nb').position(8)).toEqual({ line: 4, column: 1 });
});

test('__proto__ is an ordinary key', () => {
  const { value } = read('__proto__: {polluted: true}\n');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

function read(source: string) {
  return readYaml(source, (text) => ({ text, isExpanded: false }));
}
