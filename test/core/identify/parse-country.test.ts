import { describe, expect, test } from 'vitest';
import { countries, countryNames } from '../../../src/core/contract/countries.ts';
import { parseCountry } from '../../../src/core/identify/parse-country.ts';

describe('the thirteen countries', () => {
  test.each(countries)('%s is understood as a code and by its name', (code) => {
    for (const text of [code, code.toLowerCase(), ` ${code} `, countryNames[code]]) {
      expect(parseCountry(text)).toBe(code);
    }
  });

  test.each([
    ['AUS', 'AU'],
    ['HKG', 'HK'],
    ['KOR', 'KR'],
    ['USA', 'US'],
    ['Aotearoa', 'NZ'],
    ['The Philippines', 'PH'],
    ['Hong Kong S.A.R.', 'HK'],
    ['Việt Nam', 'VN'],
    ['Korea', 'KR'],
    ['Korea, Republic of', 'KR'],
    ['Korea (the Republic of)', 'KR'],
    ['United States of America (the)', 'US'],
    ['U. S. A.', 'US'],
    ['U.S.', 'US'],
    ['the United States', 'US'],
    ['🇦🇺', 'AU'],
    ['日本', 'JP'],
    ['ＡＵ', 'AU'],
    ['Australia (AU)', 'AU'],
    ['NZ - New Zealand', 'NZ'],
  ])('%j is %s', (text, country) => expect(parseCountry(text)).toBe(country));
});

test.each(['', ' ', 'n/a', '-', 'unknown'])(
  '%j gives no country, so the default applies',
  (text) => {
    expect(parseCountry(text)).toBeUndefined();
  },
);

test.each([
  'Germany',
  'Austria',
  'North Korea',
  'NSW',
  'AU/NZ',
  "Korea (the Democratic People's Republic of)",
  'the',
  '🇩🇪',
])('%j is rejected before a call is made', (text) =>
  expect(parseCountry(text)).toMatchObject({ reject: 'unsupported_country' }),
);
