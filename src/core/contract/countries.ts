import { z } from 'zod';

export const countryNames = {
  AU: 'Australia',
  NZ: 'New Zealand',
  SG: 'Singapore',
  MY: 'Malaysia',
  ID: 'Indonesia',
  PH: 'Philippines',
  HK: 'Hong Kong',
  JP: 'Japan',
  VN: 'Vietnam',
  KR: 'South Korea',
  TH: 'Thailand',
  US: 'United States',
  CA: 'Canada',
} as const;

export type Country = keyof typeof countryNames;

export const countries = Object.keys(countryNames) as [Country, ...Country[]];

export const defaultCountry: Country = 'AU';

export const Country = z
  .enum(countries)
  .describe('ISO country code; AU if absent.')
  .meta({ id: 'Country' });
