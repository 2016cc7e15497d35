import { describe, expect, test } from 'vitest';
import { identifyCell } from '../../../src/core/identify/identify-cell.ts';
import { suggestValue } from '../../../src/core/identify/suggest-value.ts';

describe('a value that can only have been meant in one way', () => {
  test.each([
    ['smec,com', 'smec.com'],
    ['www,smec.com', 'www.smec.com'],
    ['acme.com,au', 'acme.com.au'],
    ['acme .com', 'acme.com'],
    ['acme.con', 'acme.com'],
    ['acme.con.au', 'acme.com.au'],
    ['acme,co.au', 'acme.com.au'],
    ['jane@acme.vom.sg', 'jane@acme.com.sg'],
    ['info@acme,com.au', 'info@acme.com.au'],
  ])('%j is suggested as %s', (cell, meant) => expect(suggestValue(cell, 'auto')).toBe(meant));

  // Right as it is, two values, a name, or another kind.
  test.each([
    ['smec.com'],
    ['con.au'],
    ['acme.co.nz'],
    ['acme,bolt.com'],
    ['acme.com,bolt.com'],
    ['Acme Holdings'],
    ['Smith, Jones'],
    ['see mail.com or, else'],
  ])('%j gets no suggestion', (cell) => expect(suggestValue(cell, 'fqdn')).toBeUndefined());
  test('only of domains', () => expect(suggestValue('smec,com', 'abn')).toBeUndefined());
});

test.each([
  ['Acme Holdings Group', true],
  ['Müller & Söhne GmbH', true],
  ['J.P. Morgan', true],
  ['株式会社', true],
  ['acme', false],
  ['smec,com', false],
  ['acme.local office', false],
])('%j looks like a name: %s', (cell, isName) => {
  expect(identifyCell(cell, 'auto')).toMatchObject({
    message: expect.stringContaining(isName ? 'a company name' : ''),
  });
  expect(JSON.stringify(identifyCell(cell, 'auto')).includes('company name')).toBe(isName);
});
