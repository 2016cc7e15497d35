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
    ['NZL', 'NZ'],
    ['SGP', 'SG'],
    ['MYS', 'MY'],
    ['IDN', 'ID'],
    ['PHL', 'PH'],
    ['HKG', 'HK'],
    ['JPN', 'JP'],
    ['VNM', 'VN'],
    ['KOR', 'KR'],
    ['THA', 'TH'],
    ['USA', 'US'],
    ['CAN', 'CA'],
    ['AUSTRALIA', 'AU'],
    ['Aotearoa', 'NZ'],
    ['N.Z.', 'NZ'],
    ['The Philippines', 'PH'],
    ['Hong Kong SAR', 'HK'],
    ['Hong Kong S.A.R.', 'HK'],
    ['Hong Kong, China', 'HK'],
    ['Viet Nam', 'VN'],
    ['Việt Nam', 'VN'],
    ['Korea', 'KR'],
    ['Korea, Republic of', 'KR'],
    ['Republic of Korea', 'KR'],
    ['Korea (South)', 'KR'],
    ['Korea (the Republic of)', 'KR'],
    ['Philippines (the)', 'PH'],
    ['United States of America (the)', 'US'],
    ['US of A', 'US'],
    ['U. S. A.', 'US'],
    ['U.S.', 'US'],
    ['U.S.A.', 'US'],
    ['u.s', 'US'],
    ['United States of America', 'US'],
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
  'UK',
  'Austria',
  'North Korea',
  'KP',
  'NSW',
  'AU/NZ',
  'AU-NSW',
  'Korea, North',
  "Korea (the Democratic People's Republic of)",
  'the',
  '61',
  'English',
  '🇩🇪',
])('%j is rejected before a call is made', (text) =>
  expect(parseCountry(text)).toMatchObject({ reject: 'unsupported_country' }),
);
