import { expect, test } from 'vitest';
import { openHeldBytes } from '../../../src/input/parquet/held-bytes.ts';

test('pages that do not fit into memory together are refused before they are read', () => {
  const mebibyte = 1024 * 1024;
  const held = openHeldBytes('leads.parquet', 4 * mebibyte);
  const [first, second] = [{}, {}];
  held.hold(first, 3 * mebibyte);
  held.hold(first, mebibyte);
  held.hold(second, 3 * mebibyte);
  expect(() => held.hold(first, 2 * mebibyte)).toThrow(
    /leads\.parquet would take more than 4 MB of memory.*smaller row groups or pages, or as CSV/,
  );
});
