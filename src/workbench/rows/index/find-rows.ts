import type { FacetChoice, FacetName } from '../../api/rows.ts';
import { facetNames } from './facet-codes.ts';
import { FewRecent } from './few-recent.ts';
import { wordsOf } from './fold.ts';
import type { RunIndex } from './run-index.ts';

/** What is asked of an index. */
export interface Wanted {
  readonly search: string;
  readonly facets: FacetChoice;
  readonly sort: SortBy | undefined;
}

export type SortBy = { readonly isDescending: boolean } & (
  | { readonly key: string }
  | { readonly line: number }
);

/** Answers questions to one index, and keeps the last answers: a table that scrolls asks the same again. */
export class RowFinder {
  readonly #index: RunIndex;
  readonly #found = new FewRecent<Int32Array>(4);
  readonly #orders = new FewRecent<Int32Array>(4);
  readonly #searches = new FewRecent<Uint8Array>(2);
  #version = -1;

  constructor(index: RunIndex) {
    this.#index = index;
  }

  /** The numbers of all rows that fit, in their order. */
  find({ search, facets, sort }: Wanted): Int32Array {
    this.#forgetChanged();
    const key = JSON.stringify([search, facets, sort]);
    return this.#found.get(key, () => {
      const hits = this.#hits(search);
      const tests = testsOf(this.#index, facets);
      const order = sort && this.#order(sort);
      const { upTo } = this.#index;
      const fitting = new Int32Array(order?.length ?? upTo);
      let count = 0;
      for (let at = 0; at < fitting.length; at += 1) {
        const number = order ? (order[at] ?? 0) : at + 1;
        if (hits && hits[number] !== 1) continue;
        if (!tests.every(({ codes, isChosen }) => isChosen[codes[number] ?? 0] === 1)) continue;
        fitting[count] = number;
        count += 1;
      }
      return fitting.slice(0, count);
    });
  }

  /** Rows by facet and code: those that fit the search and all other facets. */
  count({ search, facets }: Pick<Wanted, 'search' | 'facets'>): Record<FacetName, Int32Array> {
    this.#forgetChanged();
    const hits = this.#hits(search);
    const tests = testsOf(this.#index, facets);
    const all = facetNames.map((name) => {
      const { codes, values } = this.#index.facets[name];
      return { name, codes, counts: new Int32Array(values.length) };
    });
    const testOf = tests.map(({ name }) => all.filter((facet) => facet.name === name));
    for (let number = 1; number <= this.#index.upTo; number += 1) {
      if (hits && hits[number] !== 1) continue;
      let failed = -1;
      let failures = 0;
      for (const [at, { codes, isChosen }] of tests.entries()) {
        if (isChosen[codes[number] ?? 0] === 1) continue;
        failed = at;
        failures += 1;
      }
      if (failures > 1) continue;
      const counted = failures === 0 ? all : (testOf[failed] ?? []);
      for (const { codes, counts } of counted) {
        const code = codes[number] ?? 0;
        counts[code] = (counts[code] ?? 0) + 1;
      }
    }
    return Object.fromEntries(all.map(({ name, counts }) => [name, counts])) as Record<
      FacetName,
      Int32Array
    >;
  }

  #forgetChanged(): void {
    if (this.#version === this.#index.version) return;
    this.#version = this.#index.version;
    for (const kept of [this.#found, this.#orders, this.#searches]) kept.clear();
  }

  /** By the number of the row: 1 where all words stand in it; undefined where none are searched. */
  #hits(search: string): Uint8Array | undefined {
    const words = wordsOf(search);
    if (words.length === 0) return undefined;
    return this.#searches.get(words.join(' '), () => {
      const hits = new Uint8Array(this.#index.rows + 1);
      for (const number of this.#index.file.search(words)) hits[number] = 1;
      return hits;
    });
  }

  /** All rows; those without a value come last, in the order of the list. */
  #order(sort: SortBy): Int32Array {
    return this.#orders.get(JSON.stringify(sort), () => {
      const { file, upTo } = this.#index;
      const sorted =
        'key' in sort
          ? file.sortedBy(sort.key, sort.isDescending)
          : file.sortedByLine(sort.line, sort.isDescending);
      const order = new Int32Array(upTo);
      const hasKey = new Uint8Array(upTo + 1);
      let count = 0;
      const add = (number: number) => {
        order[count] = number;
        count += 1;
      };
      for (const number of sorted) {
        if (number > upTo) continue;
        hasKey[number] = 1;
        add(number);
      }
      for (let number = 1; number <= upTo; number += 1) if (hasKey[number] !== 1) add(number);
      return order;
    });
  }
}

function testsOf(index: RunIndex, facets: FacetChoice) {
  return facetNames.flatMap((name) => {
    const chosen = facets[name] ?? [];
    if (chosen.length === 0) return [];
    const facet = index.facets[name];
    return [{ name, codes: facet.codes, isChosen: facet.codesWith(chosen) }];
  });
}
