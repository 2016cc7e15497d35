import { kindName, kindWords, registerKinds } from '../../core/contract/identifier-kinds.ts';
import { capitalised } from '../../core/values/format.ts';
import type { TableRow } from '../workbench/api/answers.ts';

/** Every view shows them in this order. */
export const statusNames: Readonly<Record<TableRow['status'], string>> = {
  matched: 'Found',
  not_found: 'Not found',
  invalid: 'Invalid',
  failed: 'Failed',
  suppressed: 'Suppressed',
  open: 'Still open',
};

export const rowNumberTitle = 'Row number in the list, counted from 1 below the header';

/** `abn_checksum → ABN checksum`, `not_a_domain → not a domain` */
export function reasonWords(code: string): string {
  return code
    .split('_')
    .map((word) => abbreviations[word] ?? word)
    .join(' ');
}

export function reasonName(code: string): string {
  return capitalised(reasonWords(code));
}

const abbreviations: Readonly<Record<string, string>> = {
  ...Object.fromEntries(registerKinds.map((kind) => [kind, kindWords[kind].label])),
  url: 'URL',
  ip: 'IP',
  suffix: 'ending',
  tld: 'ending',
  userinfo: 'text before @',
  freemail: 'free mail',
};

const regionNames = new Intl.DisplayNames('en', { type: 'region' });

export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (regionNames.of(code) ?? code) : code;
}

const wordsByColumn: Readonly<Record<string, (code: string) => string>> = {
  status: (code) => statusNames[code as keyof typeof statusNames] ?? code,
  reason: reasonName,
  matched_by: kindName,
  country: countryName,
};

/** `('status', 'not_found') → Not found` */
export function valueWords(column: string, value: string): string {
  return wordsByColumn[column]?.(value) ?? value;
}
