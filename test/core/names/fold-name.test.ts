import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareFolds } from '../../../src/core/names/compare-names.ts';
import { foldName, foldsIn } from '../../../src/core/names/fold-name.ts';
import { anyText } from '../../support/any-text.ts';

describe('spellings of one name', () => {
  test.each([
    ['Acme Pty Ltd', 'ACME PTY. LIMITED', 'Acme Proprietary Limited', 'The Acme P/L', 'acme pl'],
    [
      'Smith & Sons',
      'SMITH AND SONS PTY LTD',
      'Smith + Sons Ltd.',
      'Smith and Sons (In Liquidation)',
    ],
    ['Blue-Gum Café (QLD) Pty Ltd', 'BLUE GUM CAFE QUEENSLAND', 'The Blue Gum Cafe (Qld) P/L'],
    ['Aust. Widgets Inc', 'Australia Widgets', 'AUSTRALIA WIDGETS INCORPORATED'],
    ["O'Brien's Pies", 'OBRIENS PIES', 'O’Brien’s Pies Pty Ltd'],
    ['A.B.C. Plumbing', 'A B C Plumbing Pty Ltd', 'ABC PLUMBING'],
    ['Acme No. 2 Pty Ltd', 'ACME NO 2', 'Acme (Number 2) Pty Ltd', 'Acme #2'],
    [
      'The Trustee for The Wren Family Trust',
      'Wren Family Trust',
      'Nest Pty Ltd ATF Wren Family Trust',
    ],
    ['Acme Pty Ltd t/a Blue Gum', 'Acme trading as Other Name', 'Acme Pty Ltd (formerly Apex)'],
    [
      'Acme Pty Ltd (Receivers and Managers Appointed)',
      'Acme Pty Ltd (Under External Administration)',
    ],
    ['ＡＣＭＥ ＷＩＤＧＥＴＳ', 'acme widgets', 'Åcmé Widgets'],
    ['Wattle (N.S.W.) Co.', 'WATTLE NEW SOUTH WALES COMPANY', 'Wattle (NSW) Co Ltd'],
  ])('%s', (...names) => expect(new Set(names.map(foldName)).size).toBe(1));
});

describe('names that differ by a word of meaning', () => {
  const words = [
    'Holdings',
    'Services',
    'Group',
    'No. 2',
    '3',
    'Australia',
    '(QLD)',
    '(NSW)',
    'Trust',
  ];

  test.each(words)('Acme and Acme %s', (word) => {
    const others = words.filter((other) => other !== word).map((other) => `Acme ${other} Pty Ltd`);
    const folds = ['Acme Pty Ltd', ...others].map(foldName);
    expect(folds).not.toContain(foldName(`Acme ${word} Pty Ltd`));
  });

  test('any two numbers', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        return one === other || foldName(`Acme No. ${one}`) !== foldName(`Acme No. ${other} Ltd`);
      }),
    );
  });
});

test.each([
  ['Acme Pty Ltd t/a Blue Gum Cafe', ['acme', 'blue gum cafe']],
  ['Nest Pty Ltd as trustee for the Wren Family Trust', ['wren family trust', 'nest']],
  ['Nest P/L ATF Wren Trust T/A Blue Gum', ['wren trust', 'nest', 'blue gum']],
  ['ATF Security Pty Ltd', ['atf security']],
  ['Pty Ltd', ['proprietary']],
  [' - ', []],
])('%j has the names %j', (text, names) => expect(foldsIn(text)).toEqual(names));

const parts = fc.constantFrom(
  ...[
    'the',
    'Pty',
    'Ltd',
    'P/L',
    'no.',
    '2',
    '(QLD)',
    'new',
    'south',
    'wales',
    'a',
    'b',
    '&',
    'atf',
  ],
  ...['t/a', 'trustee', 'for', 'as', 'limited', 'in', 'liquidation', 'acme', 'co', 'd', 'formerly'],
);
const nameLike = fc.oneof(
  anyText(),
  fc.array(parts, { maxLength: 9 }).map((all) => all.join(' ')),
);

test('a fold is its own fold, in whatever spacing', () => {
  fc.assert(
    fc.property(nameLike, (text) => {
      const fold = foldName(text);
      return foldName(fold) === fold && foldName(`  ${text.replaceAll(' ', '  ')} `) === fold;
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['blue gum cafe', 'cafe blue gum', 'order'],
  ['bluegum cafe', 'blue gum cafe', 'spacing'],
  ['blue gum', 'blue gum services', 'missing'],
  ['blue gum services', 'blue gum', 'extra'],
  ['blue gmu cafe', 'blue gum cafe', 'letter'],
  ['wattle 2', 'wattle 3', 'number'],
  ['wattle farm', 'bottle works', 'similar'],
])('%s and %s differ: %s', (asked, known, why) => expect(compareFolds(asked, known).why).toBe(why));
