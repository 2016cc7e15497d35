import { useState } from 'preact/hooks';
import type { TableColumn, TableColumns } from '../../../../workbench/api/rows.ts';
import { counted } from '../../../parts/text/format.ts';
import type { Choice } from '../choice.ts';
import type { ChangeChoice } from '../use-choice.ts';
import { SavePreset } from './save-preset.tsx';

/** Columns that the menu lists at once: a list may have thousands, and the search finds them all. */
const mostListed = 400;

interface ColumnMenuProps {
  readonly known: TableColumns;
  /** Names of the columns that are shown. */
  readonly shown: readonly string[];
  readonly choice: Choice;
  readonly change: ChangeChoice;
  readonly onSaved: () => void;
}

/** Chooses which columns the table shows: a preset, or each by itself. */
export function ColumnMenu({ known, shown, choice, change, onSaved }: ColumnMenuProps) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/);
  const fitting = known.columns.filter(({ label, name, group }) => {
    const text = `${label} ${name} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = Map.groupBy(fitting.slice(0, mostListed), ({ group }) => group);
  const toggle = (name: string) => {
    const next = shown.includes(name)
      ? shown.filter((one) => one !== name)
      : inOrder(known.columns, [...shown, name]);
    change({ columns: next, preset: null }, { isStep: false });
  };
  const current = choice.columns ? undefined : (choice.preset ?? known.presets[0]?.name);
  return (
    <div class="column-menu">
      <fieldset class="chips">
        <legend class="unseen">Presets</legend>
        {known.presets.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-pressed={current === name}
            onClick={() => change({ preset: name, columns: null }, { isStep: false })}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <input
        type="search"
        aria-label="Search the columns"
        placeholder="Search the columns"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <div class="column-list">
        {[...groups].map(([group, columns]) => (
          <fieldset key={group} class="facet">
            <legend>{group}</legend>
            {columns.map(({ name, label, about }) => (
              <label key={name} class="facet-value" title={about}>
                <input
                  type="checkbox"
                  checked={shown.includes(name)}
                  disabled={shown.length === 1 && shown.includes(name)}
                  onChange={() => toggle(name)}
                />
                <span class="text">{label}</span>
              </label>
            ))}
          </fieldset>
        ))}
        {fitting.length === 0 && <p class="empty">No column has these words.</p>}
        {fitting.length > mostListed && (
          <p class="note">
            and {counted(fitting.length - mostListed, 'other', 'others')}: search for them
          </p>
        )}
      </div>
      <SavePreset
        columns={shown}
        onSaved={(name) => {
          onSaved();
          change({ preset: name, columns: null }, { isStep: false });
        }}
      />
    </div>
  );
}

function inOrder(columns: readonly TableColumn[], names: readonly string[]): readonly string[] {
  const wanted = new Set(names);
  return columns.map(({ name }) => name).filter((name) => wanted.has(name));
}
