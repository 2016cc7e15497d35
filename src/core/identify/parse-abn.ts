import {
  type CellResult,
  type Identified,
  isReject,
  type Reject,
  type RejectCode,
  rejectAs,
} from './identifier.ts';

/** `ABN: 51-824-753-556 → 51824753556`, `ACN 65475149 → 47065475149` */
export function parseAbn(cell: string): CellResult {
  if (plainAbn.test(cell)) return parseNumber(cell, 'none');
  // Most cells with a name.
  if (!/\d/.test(cell)) return rejectAs('abn_length');
  const text = cell.replace(zeroFraction, '');
  if (isForeignRegisterNumber(text)) return rejectAs('unsupported_register');
  const shortened = scientific.exec(text)?.[0];
  if (shortened) return parseScientific(shortened, labelIn(text) ?? 'none');
  return chooseNumber(findNumbers(text));
}

export function digitsOf(text: string): string {
  return text.normalize('NFKC').replace(/\D+/g, '');
}

const plainAbn = /^\d{2} ?\d{3} ?\d{3} ?\d{3}$/;
const elevenDigits = /^\d{11}$/;
const zeroFraction = /(?<=\d{3})[.,]0{1,2}$/;
const scientific = /(?<![\w.,])\d(?:[.,]\d{1,20})?E\+?\d{1,2}(?!\w)/i;
const abnLength = 11;
const branchLength = 3;
const acnLength = 9;
/** Spreadsheets strip leading zeros. */
const maxLostZeros = 2;
/** Spreadsheets that show 6 or 7 digits may save the others as zeros. */
const rounded = /^[1-9]\d*0000$/;

type Label = 'abn' | 'acn' | 'other' | 'none';

/** `5.1824753556E+10` has all its digits; `5.18E+10` has lost some. */
function parseScientific(text: string, label: Label): CellResult {
  const [mantissa = '', exponent = ''] = text.toUpperCase().split('E');
  const digits = digitsOf(mantissa);
  if (digits.length !== Number(exponent) + 1) return rejectAs('precision_lost');
  return parseNumber(digits, label);
}

function parseNumber(text: string, label: Label): CellResult {
  const digits = elevenDigits.test(text) ? text : text.replace(/\D+/g, '');
  switch (digits.length) {
    case abnLength:
      return parseElevenDigits(digits);
    case abnLength + branchLength:
      // The last three digits are a branch of the same company.
      return parseElevenDigits(digits.slice(0, abnLength));
    case acnLength:
      return label === 'other' ? rejectAs('abn_length') : parseAcn(digits);
    case acnLength - 1:
    case acnLength - maxLostZeros:
      return label === 'acn' ? parseAcn(digits.padStart(acnLength, '0')) : rejectAs('abn_length');
    default:
      return parseSeveral(text, digits);
  }
}

function parseElevenDigits(digits: string): CellResult {
  if (hasAbnCheckDigits(digits)) return { kind: 'abn', value: digits };
  return rejectAs(rounded.test(digits) ? 'precision_lost' : 'abn_checksum');
}

function parseAcn(digits: string): CellResult {
  if (!hasAcnCheckDigit(digits)) return rejectAs('abn_checksum');
  return { kind: 'abn', value: abnOfAcn(digits), derivedFrom: 'acn' };
}

function parseSeveral(text: string, digits: string): CellResult {
  const parts = text.split(/\s*[,;/|\n]\s*/).filter((part) => /\d/.test(part));
  if (parts.length > 1) {
    return chooseNumber(parts.map((part) => ({ text: part, label: 'none' })));
  }
  for (const length of [abnLength, acnLength]) {
    const pair = [digits.slice(0, length), digits.slice(length)];
    const isPair = pair.every((part) => part.length === abnLength || part.length === acnLength);
    if (isPair) return chooseNumber(pair.map((part) => ({ text: part, label: 'none' })));
  }
  return rejectAs('abn_length');
}

function chooseNumber(numbers: readonly LabelledNumber[]): CellResult {
  const results = numbers.map((number) => parseNumber(number.text, number.label));
  const accepted = results.filter((result): result is Identified => !isReject(result));
  const values = new Set(accepted.map(({ value }) => value));
  if (values.size > 1) return rejectAs('multiple_values');
  const written = accepted.find(({ derivedFrom }) => derivedFrom === undefined);
  return written ?? accepted[0] ?? mostSpecific(results);
}

/** Most helpful first. */
const specificRejects: readonly RejectCode[] = [
  'abn_checksum',
  'precision_lost',
  'multiple_values',
];

function mostSpecific(results: readonly CellResult[]): Reject {
  const codes = new Set(results.filter(isReject).map(({ reject }) => reject));
  return rejectAs(specificRejects.find((code) => codes.has(code)) ?? 'abn_length');
}

interface LabelledNumber {
  readonly text: string;
  readonly label: Label;
}

const numberRun = /\d(?:[\s\d.,;:/|()'\p{Pd}−]*\d)?/gu;

function findNumbers(text: string): LabelledNumber[] {
  const runs = [...text.matchAll(numberRun)];
  const unlabelled = unlabelledIn(text);
  return runs.map((run, index) => {
    const before = runs[index - 1];
    const after = runs[index + 1];
    const wordsBefore = text.slice(before ? before.index + before[0].length : 0, run.index);
    const wordsAfter = text.slice(run.index + run[0].length, after?.index);
    return { text: run[0], label: labelIn(wordsBefore) ?? labelIn(wordsAfter) ?? unlabelled };
  });
}

function labelIn(words: string): Label | undefined {
  const names = words.replaceAll('.', '').match(/(?<![a-z])(?:abn|acn|arbn)(?![a-z])/gi);
  const last = names?.at(-1)?.toLowerCase();
  if (last === undefined) return undefined;
  return last === 'abn' ? 'abn' : 'acn';
}

/** Next to words, nine digits may be a phone number. */
function unlabelledIn(text: string): Label {
  return /\p{L}/u.test(text) ? 'other' : 'none';
}

const abnWeights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19] as const;
const acnWeights = [8, 7, 6, 5, 4, 3, 2, 1] as const;
const zero = 48;

function hasAbnCheckDigits(digits: string) {
  // No ABN starts with 10, but 10 would pass whenever 99 does: they are equal modulo 89.
  if (digits < '11') return false;
  return (weightedSum(digits, abnWeights) - abnWeights[0]) % 89 === 0;
}

function hasAcnCheckDigit(digits: string) {
  const expected = (10 - (weightedSum(digits, acnWeights) % 10)) % 10;
  return digits.charCodeAt(8) - zero === expected;
}

/** `065475149 → 47065475149` */
export function abnOfAcn(acn: string): string {
  const rest = weightedSum(`00${acn}`, abnWeights) % 89;
  return `${99 - rest}${acn}`;
}

function weightedSum(digits: string, weights: readonly number[]) {
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    sum += (digits.charCodeAt(index) - zero) * (weights[index] ?? 0);
  }
  return sum;
}

/** Otherwise an NZBN or UEN would be reported as a mistyped ABN. */
export function isForeignRegisterNumber(text: string): boolean {
  if (foreignLabel.test(text)) return true;
  const compact = text.replace(separators, '').toUpperCase();
  return nzbn.test(compact) || uenForms.some((form) => form.test(compact));
}

const foreignLabel = /(?<![A-Z])(?:NZBN|UEN)(?![A-Z])(?=.*\d)/i;
const separators = /[\s.\p{Pd}−]+/gu;

const nzbn = /^94\d{11}$/;
/** Singapore UENs: businesses, local companies, other entities. */
const uenForms = [/^\d{8}[A-Z]$/, /^(?:18|19|20)\d{7}[A-Z]$/, /^[RST]\d{2}[A-Z]{2}\d{4}[A-Z]$/];
