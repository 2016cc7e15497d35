import { runName } from '../../ledger/runs/runs.ts';
import { explainReason } from '../../report/explain-reason.ts';
import type { Facet, FacetChoice, FacetName, Facets, FacetValue } from '../api/rows.ts';
import { type FacetCodes, facetLabels, facetNames } from './index/facet-codes.ts';
import type { RunIndex } from './index/run-index.ts';
import type { OpenTable } from './read-page.ts';

export interface FacetsQuery {
  readonly search?: string;
  readonly facets?: FacetChoice;
}

/** Values of one facet that are listed. */
const mostValues = 50;

export function readFacets(
  { followed, finder }: OpenTable,
  { search = '', facets = {} }: FacetsQuery,
): Facets {
  const { index, run } = followed;
  return {
    run: runName(run),
    index: followed.state,
    facets: index && finder ? listFacets(index, finder.count({ search, facets }), facets) : [],
  };
}

function listFacets(
  index: RunIndex,
  counts: Readonly<Record<FacetName, Int32Array>>,
  chosen: FacetChoice,
): Facet[] {
  return facetNames.flatMap((name) => {
    const picked = chosen[name] ?? [];
    const values = valuesOf(index.facets[name], counts[name], picked);
    if (values.length === 0) return [];
    const shown = values
      .filter(({ isChosen }, at) => isChosen || at < mostValues)
      .map((value) => ({ ...value, label: labelOf(name, value.value) }));
    const otherValues = values.length - shown.length;
    return [{ name, label: facetLabels[name], values: shown, otherValues }];
  });
}

/** All values that any row has, and those that are chosen, the most frequent first. */
function valuesOf(
  { values, totals }: FacetCodes,
  counts: Int32Array,
  chosen: readonly string[],
): Omit<FacetValue, 'label'>[] {
  const rows = new Map(chosen.map((value) => [value, 0]));
  for (const [code, names] of values.entries()) {
    if ((totals[code] ?? 0) <= 0) continue;
    for (const name of names) rows.set(name, (rows.get(name) ?? 0) + (counts[code] ?? 0));
  }
  return [...rows]
    .map(([value, count]) => ({ value, count, isChosen: chosen.includes(value) }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
}

/** A reason is told in a sentence; what outcomes and identifiers are called, the page knows. */
function labelOf(name: FacetName, value: string): string {
  if (name !== 'reason') return value;
  return explainReason({ status: 'failed', reason: value, rows: 0, examples: [] }).message || value;
}
