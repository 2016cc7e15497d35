import { alpha2ToAlpha3, getName, registerLocale } from 'i18n-iso-countries/index.js';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import { type Country, countries, countryNames } from '../contract/countries.ts';
import { cleanCell, isBlank } from './clean-cell.ts';
import { type Reject, rejectAs } from './identifier.ts';

/** `Viet Nam → VN`, `U.S. → US`, `🇦🇺 → AU` */
export function parseCountry(text: string): Country | undefined | Reject {
  const cell = cleanCell(text);
  if (isBlank(cell)) return undefined;
  return countryOf.get(keyOf(cell)) ?? agreedCountry(cell) ?? rejectAs('unsupported_country');
}

/** `Australia (AU)`, `NZ - New Zealand` */
function agreedCountry(cell: string): Country | undefined {
  const parts = cell.split(/[()[\]/|:,\p{Pd}]+/u).filter((part) => part.trim() !== '');
  const [first, ...others] = parts.map((part) => countryOf.get(keyOf(part)));
  return others.every((country) => country === first) ? first : undefined;
}

const otherSpellings: Record<Country, readonly string[]> = {
  AU: ['Aust', 'Aussie', 'Commonwealth of Australia'],
  NZ: ['Aotearoa', 'Aotearoa New Zealand', 'New Zealand Aotearoa', 'N Zealand', 'NewZealand'],
  SG: ['Republic of Singapore', 'Spore', 'Singapura', '新加坡'],
  MY: ['Federation of Malaysia', 'Msia', '马来西亚'],
  ID: ['Republic of Indonesia', 'Republik Indonesia', 'Indo'],
  PH: ['Republic of the Philippines', 'Philippine', 'Phil', 'Phils', 'Pilipinas'],
  HK: [
    ...['Hong Kong SAR', 'Hong Kong SAR China', 'Hong Kong China', 'China Hong Kong', 'HKSAR'],
    ...['Hong Kong Special Administrative Region', 'HongKong', 'HK SAR', '香港'],
    'Hong Kong Special Administrative Region of China',
  ],
  JP: ['Nippon', 'Nihon', '日本', '日本国'],
  VN: ['Viet Nam', 'Socialist Republic of Vietnam', 'Socialist Republic of Viet Nam'],
  KR: [
    ...['Korea', 'Korea South', 'S Korea', 'Sth Korea', 'ROK', 'Korea Rep', 'Rep of Korea'],
    ...['Korea Republic', 'SouthKorea', '한국', '대한민국'],
  ],
  TH: ['Kingdom of Thailand', 'Thai', 'ไทย', 'ประเทศไทย'],
  US: ['America', 'United States America', 'The States', 'UnitedStates', 'U S of A'],
  CA: ['Dominion of Canada'],
};

registerLocale(english);

const singleLetters = /(?<=(?:^| )\p{L}) (?=\p{L}(?: |$))/gu;

const countryOf = new Map<string, Country>(
  countries.flatMap((country) =>
    spellingsOf(country).map((spelling) => [keyOf(spelling), country] as const),
  ),
);

function spellingsOf(country: Country) {
  const names = getName(country, 'en', { select: 'all' }) ?? [];
  const codes = [country, alpha2ToAlpha3(country) ?? country, flagOf(country)];
  return [...codes, countryNames[country], ...names, ...otherSpellings[country]];
}

/** `U.S.A.`, `U S A` and `usa` all give `usa`. */
function keyOf(text: string) {
  return text
    .normalize('NFKD')
    .replace(/[\p{Mn}.'’`]/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{So}]+/gu, ' ')
    .replace(/(?<=^| )the(?= |$)/g, '')
    .replace(/ +/g, ' ')
    .trim()
    .replace(singleLetters, '');
}

function flagOf(country: Country) {
  const offset = 0x1f1e6 - 'A'.charCodeAt(0);
  return String.fromCodePoint(...[...country].map((letter) => letter.charCodeAt(0) + offset));
}
