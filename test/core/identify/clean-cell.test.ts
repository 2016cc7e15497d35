import { describe, expect, test } from 'vitest';
import { cleanCell, isBlank, maxCellLength } from '../../../src/core/identify/clean-cell.ts';

test.each([
  ['  acme.com\t\n', 'acme.com'],
  ['="51824753556"', '51824753556'],
  ["'51824753556", '51824753556'],
  ['"acme.com"', 'acme.com'],
  ['“acme.com”', 'acme.com'],
  ['<https://acme.com>', 'https://acme.com'],
  ['"<jane@acme.com>"', 'jane@acme.com'],
  ['\ufeffacme.com\u200b', 'acme.com'],
  ['ac\u00adme.com\u202e', 'acme.com'],
  ['ａｃｍｅ．ｃｏｍ', 'acme.com'],
  ['51\u00a0824', '51 824'],
  ['acme\u0000.com\u0007', 'acme.com'],
  ['cafe\u0301', 'café'],
  ['\ud800', '\ufffd'],
  ['"', '"'],
  ['a "b"', 'a "b"'],
])('cleans %j to %j', (text, cleaned) => expect(cleanCell(text)).toBe(cleaned));

describe('blank cells', () => {
  test.each([
    '',
    '—',
    'N/A',
    'None',
    'Unknown',
    'TBC',
    '#N/A',
    ' \t ',
    '="n/a"',
    '#DIV/0!',
    '\u200b',
    '______',
  ])('%j is blank', (text) => expect(isBlank(cleanCell(text))).toBe(true));

  test.each(['0', 'no', 'a', 'nano.com', 'none.com', '-1', '#', 'unknown.com.au'])(
    '%j is not blank',
    (text) => expect(isBlank(cleanCell(text))).toBe(false),
  );
});

test('a cell that is too long is still too long after cleaning', () => {
  expect(cleanCell('\u200b.'.repeat(1_000_000)).length).toBe(maxCellLength + 1);
});
