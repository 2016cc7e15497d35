import { useState } from 'preact/hooks';
import type { Facet, FacetName } from '../../../../workbench/api/rows.ts';
import { count, counted } from '../../../parts/text/format.ts';
import { type Choice, toggled } from '../choice.ts';
import type { ChangeChoice } from '../use-choice.ts';
import { facetWords } from './facet-words.ts';

/** Values that a facet shows before it is unfolded. */
const shownAtFirst = 6;

interface FacetListProps {
  readonly facets: readonly Facet[];
  readonly choice: Choice;
  readonly change: ChangeChoice;
}

/** What the table may be narrowed by, with the rows that each value would leave. */
export function FacetList({ facets, choice, change }: FacetListProps) {
  const toggle = (name: FacetName, value: string) =>
    change({ facets: toggled(choice.facets, name, value) });
  return (
    <>
      {facets
        .filter((facet) => tells(facet, choice))
        .map((facet) => (
          <FacetValues
            key={facet.name}
            facet={facet}
            chosen={choice.facets[facet.name] ?? []}
            onToggle={(value) => toggle(facet.name, value)}
          />
        ))}
    </>
  );
}

/** A facet without a row, as before the first is in the index, is no choice. */
function tells({ name, values }: Facet, { facets }: Choice): boolean {
  return name in facets || values.some(({ count: rows }) => rows > 0);
}

interface FacetValuesProps {
  readonly facet: Facet;
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

function FacetValues({ facet, chosen, onToggle }: FacetValuesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = facet.values.filter(
    ({ value, count: rows }, at) =>
      isWhole || chosen.includes(value) || (rows > 0 && at < shownAtFirst),
  );
  const hidden = facet.values.length - shown.length;
  return (
    <fieldset class="facet">
      <legend>{facet.label}</legend>
      {shown.map(({ value, label, count: rows }) => {
        const words = facetWords(facet.name, value, label);
        return (
          <label key={value} class={rows === 0 ? 'facet-value none' : 'facet-value'}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => onToggle(value)}
            />
            <span class="text" title={label}>
              {words}
            </span>
            <span class="facet-count">{count(rows)}</span>
          </label>
        );
      })}
      {hidden > 0 && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          {counted(hidden, 'more value', 'more values')}
        </button>
      )}
      {(isWhole || hidden === 0) && facet.otherValues > 0 && (
        <p class="note">
          and {counted(facet.otherValues, 'rarer value', 'rarer values')}: search for them
        </p>
      )}
    </fieldset>
  );
}
