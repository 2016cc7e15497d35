import type { FacetName } from '../../api/rows.ts';

/** The facets in the order in which they are shown. */
export const facetLabels: Readonly<Record<FacetName, string>> = {
  status: 'Outcome',
  reason: 'Reason',
  foundBy: 'Matched by',
  country: 'Country',
  size: 'Size',
  industry: 'Industry',
  mismatch: 'Mismatch',
  stale: 'Stale',
  changed: 'Changed',
};

export const facetNames = Object.keys(facetLabels) as FacetName[];

/** Codes are two bytes each. What comes after so many different ones is in no facet. */
const mostCodes = 60_000;

/** The values of one facet for all rows. A row may have several values, which have one code together. */
export class FacetCodes {
  /** By the number of the row; 0 stands for no value. */
  readonly codes: Uint16Array;
  /** By code. */
  readonly values: (readonly string[])[] = [[]];
  /** Rows by code. */
  readonly totals: number[] = [0];
  readonly #byText = new Map<string, number>([['[]', 0]]);

  constructor(rows: number) {
    this.codes = new Uint16Array(rows + 1);
  }

  /** Gives the code of values that come up for the first time, so that it can be stored. */
  set(number: number, values: readonly string[]): number | undefined {
    const text = JSON.stringify(values);
    const known = this.#byText.get(text);
    const code = known ?? this.#add(text, values);
    this.#count(number, code);
    return known === undefined && code > 0 ? code : undefined;
  }

  /** Takes over what was stored: values in the order of their codes, and then the codes. */
  restoreValues(text: string): void {
    this.#add(text, JSON.parse(text) as string[]);
  }

  restoreCodes(firstNumber: number, codes: Uint16Array): void {
    for (const [at, code] of codes.entries()) {
      if (firstNumber + at < this.codes.length) this.#count(firstNumber + at, code);
    }
  }

  #add(text: string, values: readonly string[]): number {
    if (this.values.length >= mostCodes) return 0;
    const code = this.values.push(values) - 1;
    this.totals.push(0);
    this.#byText.set(text, code);
    return code;
  }

  #count(number: number, code: number): void {
    const before = this.codes[number] ?? 0;
    this.totals[before] = (this.totals[before] ?? 0) - 1;
    this.totals[code] = (this.totals[code] ?? 0) + 1;
    this.codes[number] = code;
  }

  /** By code: 1 where it has one of the values. */
  codesWith(chosen: readonly string[]): Uint8Array {
    const wanted = new Set(chosen);
    return Uint8Array.from(this.values, (values) => (values.some((v) => wanted.has(v)) ? 1 : 0));
  }
}
