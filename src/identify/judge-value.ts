import type { Country } from '../contract/countries.ts';
import { type Identified, isReject, type Reading } from './identifier.ts';
import { identifyCell } from './identify-cell.ts';
import { parseCountry } from './parse-country.ts';
import { type RejectCode, rejectCatalog } from './rejects.ts';

/** What a value of a column means, or why it means nothing and what to do about it. */
export type ValueVerdict =
  | { readonly identified: Identified }
  /** Undefined for a blank cell: the default applies. */
  | { readonly country: Country | undefined }
  | { readonly reject: RejectCode; readonly message: string; readonly fix: string };

/** Judges one value as somebody types it, by the rules of a run. It never throws. */
export function judgeValue(value: string, as: Reading | 'country'): ValueVerdict {
  if (as === 'country') {
    const country = parseCountry(value);
    return typeof country === 'object' ? withFix(country.reject) : { country };
  }
  const result = identifyCell(value, as);
  return isReject(result) ? withFix(result.reject) : { identified: result };
}

function withFix(reject: RejectCode): ValueVerdict {
  const { message, fix } = rejectCatalog[reject];
  return { reject, message, fix };
}
