import type { Facet, FacetName } from '../../../../workbench/api/rows.ts';
import { type Choice, isNarrowed, toggled } from '../choice.ts';
import type { ChangeChoice } from '../use-choice.ts';
import { facetWords } from './facet-words.ts';

interface ChipsProps {
  readonly facets: readonly Facet[];
  readonly choice: Choice;
  readonly change: ChangeChoice;
}

/** What the table is narrowed by now; each can be taken away. */
export function Chips({ facets, choice, change }: ChipsProps) {
  if (!isNarrowed(choice)) return null;
  const chosen = Object.entries(choice.facets) as [FacetName, readonly string[]][];
  return (
    <ul class="chips chosen" aria-label="Narrowed by">
      {choice.search !== '' && (
        <li>
          <button type="button" onClick={() => change({ search: '' })}>
            “{choice.search}” <Cross />
          </button>
        </li>
      )}
      {chosen.flatMap(([name, values]) =>
        values.map((value) => (
          <li key={`${name} ${value}`}>
            <button
              type="button"
              onClick={() => change({ facets: toggled(choice.facets, name, value) })}
            >
              {wordsOf(facets, name, value)} <Cross />
            </button>
          </li>
        )),
      )}
      <li>
        <button type="button" class="plain" onClick={() => change({ search: '', facets: {} })}>
          Clear
        </button>
      </li>
    </ul>
  );
}

function Cross() {
  return (
    <>
      <span aria-hidden="true">×</span>
      <span class="unseen">, take away</span>
    </>
  );
}

/** `Country: Australia` */
function wordsOf(facets: readonly Facet[], name: FacetName, value: string): string {
  const facet = facets.find((one) => one.name === name);
  const label = facet?.values.find((one) => one.value === value)?.label ?? value;
  return `${facet?.label ?? name}: ${facetWords(name, value, label)}`;
}
