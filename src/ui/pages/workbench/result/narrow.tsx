import { useEffect, useRef, useState } from 'preact/hooks';
import type { Facet } from '../../../workbench/api.ts';
import { Check } from '../../parts/controls.tsx';
import { count, counted } from '../../parts/format.ts';
import { reasonName, statusName } from '../../parts/labels.ts';
import { cellText } from './cell-text.ts';
import { type Choice, isNarrowed } from './choice.ts';
import { changeChoice as change, toggle } from './use-choice.ts';

/** A pause in typing after which the table is searched. */
const pauseMs = 150;

/** Searches as the user types. `/` comes here from anywhere in the view; the table takes the keyboard afterwards. */
export function SearchBox(props: { search: string; isDisabled: boolean; onLeave(): void }) {
  const { search, isDisabled, onLeave } = props;
  const [text, setText] = useState(search);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setText(search), [search]);
  useEffect(() => {
    const wanted = text.trim();
    const timer = setTimeout(() => wanted !== search && change({ search: wanted }, false), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey } = event;
      const isTyping =
        target instanceof HTMLElement &&
        target.matches('input:not([type=checkbox]), textarea, select');
      if (key !== '/' || ctrlKey || metaKey || isTyping) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <input
      ref={box}
      type="search"
      aria-label="Search the rows"
      aria-keyshortcuts="/"
      placeholder="Search   /"
      value={text}
      disabled={isDisabled}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText('');
        if (event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault();
          onLeave();
        }
      }}
    />
  );
}

/** What the table is narrowed by now; each can be taken away. */
export function Chips({ facets, choice }: { facets: readonly Facet[]; choice: Choice }) {
  if (!isNarrowed(choice)) return null;
  const chip = (words: string, onClick: () => void) => (
    <li key={words}>
      <button type="button" onClick={onClick}>
        {words} <span aria-hidden="true">×</span>
        <span class="unseen">, take away</span>
      </button>
    </li>
  );
  return (
    <ul class="row chips" aria-label="Narrowed by">
      {choice.search !== '' && chip(`“${choice.search}”`, () => change({ search: '' }))}
      {Object.entries(choice.facets).flatMap(([name, values]) =>
        values.map((value) => {
          const facet = facets.find((one) => one.name === name);
          const label = facet?.values.find((one) => one.value === value)?.label ?? value;
          return chip(`${facet?.label ?? name}: ${facetWords(name, value, label)}`, () =>
            toggle(choice, name, value),
          );
        }),
      )}
      <li>
        <button type="button" class="plain" onClick={() => change({ search: '', facets: {} })}>
          Clear
        </button>
      </li>
    </ul>
  );
}

/** Values that a facet shows before it is unfolded. */
const shownAtFirst = 6;

/** What the table may be narrowed by, with the rows that each value would leave. */
export function FacetList(props: {
  facets: readonly Facet[];
  choice: Choice;
  /** The values of a column of the list are wanted. */
  onOpen(name: string): void;
}) {
  const { facets, choice, onOpen } = props;
  const closed = facets.filter(({ values }) => values.length === 0);
  return (
    <>
      {facets
        .filter(
          ({ name, values: [first, second] }) =>
            name in choice.facets || second !== undefined || first?.value === 'yes',
        )
        .map((facet) => (
          <FacetValues key={facet.name} {...{ facet, choice }} />
        ))}
      {closed.length > 0 && (
        <section class="facet" aria-label="Columns of your list">
          <h3>Columns of your list</h3>
          {closed.map(({ name, label }) => (
            <button key={name} type="button" class="plain" onClick={() => onOpen(name)}>
              {label} …
            </button>
          ))}
        </section>
      )}
    </>
  );
}

function FacetValues({ facet, choice }: { facet: Facet; choice: Choice }) {
  const [isWhole, setWhole] = useState(false);
  const chosen = choice.facets[facet.name] ?? [];
  const shown = facet.values.filter(
    ({ value, count: rows }, at) =>
      isWhole || chosen.includes(value) || (rows > 0 && at < shownAtFirst),
  );
  const hidden = facet.values.length - shown.length;
  return (
    <fieldset class="facet">
      <legend>{facet.label}</legend>
      {shown.map(({ value, label, count: rows }) => (
        <Check
          key={value}
          title={label}
          checked={chosen.includes(value)}
          onSet={() => toggle(choice, facet.name, value)}
        >
          <span class="text">{facetWords(facet.name, value, label)}</span>
          <small>{count(rows)}</small>
        </Check>
      ))}
      {hidden > 0 && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          {counted(hidden, 'more value')}
        </button>
      )}
    </fieldset>
  );
}

/** What the value of a facet is called: `AU → Australia`, `not_found → Not found`. */
function facetWords(name: string, value: string, label: string): string {
  if (name === 'reason') return reasonName(value);
  return name === 'status' ? statusName(value) : cellText(label, { name });
}
