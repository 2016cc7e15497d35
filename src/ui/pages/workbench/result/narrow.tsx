import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import { valueWords } from '../../../words/labels.ts';
import type { Facet } from '../../../workbench/api/answers.ts';
import { Button, Check } from '../../parts/controls.tsx';
import type { Choice } from './choice.ts';
import { changeChoice as change, toggle } from './use-choice.ts';
import type { Table } from './use-table.ts';

const pauseMs = 150;

export function SearchBox({ choice: { search }, page, focusGrid }: Table) {
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
      disabled={page?.index.problem != null}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setText('');
        if (event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault();
          focusGrid();
        }
      }}
    />
  );
}

const shownAtFirst = 6;

export function FacetList({ facets: { value, open }, choice }: Table) {
  const facets = value?.facets ?? [];
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
            <Button key={name} class="plain" onClick={() => open(name)}>
              <bdi>{label}</bdi> …
            </Button>
          ))}
        </section>
      )}
    </>
  );
}

function FacetValues({ facet, choice }: { facet: Facet; choice: Choice }) {
  const [isWhole, setWhole] = useState(false);
  const chosen = choice.facets[facet.name] ?? [];
  const wordsOf = (value: string) => valueWords(facet.name, value) || '(blank)';
  // Both kinds of network page have one word.
  const all = [...Map.groupBy(facet.values, ({ value }) => wordsOf(value))].map(
    ([words, several]) => {
      const values = several.map(({ value }) => value);
      const isChosen = values.some((value) => chosen.includes(value));
      return { words, values, isChosen, rows: several.reduce((sum, one) => sum + one.count, 0) };
    },
  );
  const shown = all.filter(
    ({ isChosen, rows }, at) => isWhole || isChosen || (rows > 0 && at < shownAtFirst),
  );
  const hidden = all.length - shown.length;
  return (
    <fieldset class="facet">
      <legend>{facet.label}</legend>
      {shown.map(({ words, values, isChosen, rows }) => (
        <Check
          key={words}
          title={words}
          checked={isChosen}
          onSet={() => toggle(choice, facet.name, values)}
        >
          <bdi class="text">{words}</bdi>
          <small>{formatNumber(rows)}</small>
        </Check>
      ))}
      {hidden > 0 && (
        <Button class="plain" onClick={() => setWhole(true)}>
          {counted(hidden, 'more value')}
        </Button>
      )}
    </fieldset>
  );
}
