import { useMemo, useState } from 'preact/hooks';
import type { TableColumn, TableColumns } from '../../../../workbench/api/rows.ts';
import { VirtualItems } from '../../../parts/virtual-items.tsx';
import type { Choice } from '../choice.ts';
import type { ChangeChoice } from '../use-choice.ts';
import { SavePreset } from './save-preset.tsx';
import { toggledColumn } from './shown-columns.ts';

interface ColumnMenuProps {
  readonly known: TableColumns;
  /** Names of the columns that are shown. */
  readonly shown: readonly string[];
  readonly choice: Choice;
  readonly change: ChangeChoice;
  readonly onSaved: () => void;
}

/** A column, or the name of a group above its columns. */
type Item = TableColumn | { readonly heading: string };

/** Chooses which columns the table shows: a preset, or each by itself. */
export function ColumnMenu({ known, shown, choice, change, onSaved }: ColumnMenuProps) {
  const [search, setSearch] = useState('');
  const items = useMemo(() => itemsOf(known.columns, search), [known.columns, search]);
  const shownNames = useMemo(() => new Set(shown), [shown]);
  const isChanged = choice.added.length + choice.removed.length > 0;
  const current = isChanged ? undefined : (choice.preset ?? known.presets[0]?.name);
  const choosePreset = (preset: string) =>
    change({ preset, added: [], removed: [] }, { isStep: false });
  return (
    <div class="column-menu">
      <fieldset class="chips">
        <legend class="unseen">Presets</legend>
        {known.presets.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            aria-pressed={current === name}
            onClick={() => choosePreset(name)}
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
      <VirtualItems
        items={items}
        label="Columns"
        keyOf={(item) => ('heading' in item ? `# ${item.heading}` : item.name)}
        draw={(item) => {
          if ('heading' in item) return <b class="column-group">{item.heading}</b>;
          const { name, label, about } = item;
          const isShown = shownNames.has(name);
          return (
            <label class="facet-value" title={about}>
              <input
                type="checkbox"
                checked={isShown}
                disabled={isShown && shownNames.size === 1}
                onChange={() => change(toggledColumn(choice, name, isShown), { isStep: false })}
              />
              <span class="text">{label}</span>
            </label>
          );
        }}
      />
      {items.length === 0 && <p class="empty">No column has these words.</p>}
      <SavePreset
        columns={shown}
        onSaved={(name) => {
          onSaved();
          choosePreset(name);
        }}
      />
    </div>
  );
}

function itemsOf(columns: readonly TableColumn[], search: string): readonly Item[] {
  const words = search.toLowerCase().split(/\s+/);
  const fitting = columns.filter(({ label, name, group }) => {
    const text = `${label} ${name} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = Map.groupBy(fitting, ({ group }) => group);
  return [...groups].flatMap(([heading, ofGroup]) => [{ heading }, ...ofGroup]);
}
