import { useState } from 'preact/hooks';
import type { TableColumn, TableColumns } from '../../../workbench/api/rows.ts';
import { counted } from '../../parts/text/format.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import type { Choice } from './choice.ts';
import { changeChoice } from './use-choice.ts';

/** More than these no page shows; a list may have a hundred thousand. */
const mostShown = 200;
/** Columns that the menu lists at once. */
const mostListed = 300;

/** The columns of the choice; names that this run does not have are left out. */
export function shownColumns(
  { columns, presets }: TableColumns,
  { preset, columns: chosen }: Choice,
): readonly TableColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const ofPreset = (presets.find(({ name }) => name === preset) ?? presets[0])?.columns ?? [];
  const shown = (chosen.length > 0 ? chosen : ofPreset).flatMap((name) => byName.get(name) ?? []);
  return (shown.length > 0 ? shown : columns).slice(0, mostShown);
}

interface ColumnMenuProps {
  readonly known: TableColumns;
  readonly shown: readonly TableColumn[];
  readonly choice: Choice;
  readonly onSaved: (() => void) | undefined;
}

/** Chooses which columns the table shows, and in which order: a preset, or each by itself. */
export function ColumnMenu({ known, shown, choice, onSaved }: ColumnMenuProps) {
  const [search, setSearch] = useState('');
  const [dragged, setDragged] = useState<string>();
  const names = shown.map(({ name }) => name);
  const current = choice.columns.length > 0 ? undefined : (choice.preset ?? known.presets[0]?.name);
  const choosePreset = (preset: string) => changeChoice({ preset, columns: [] }, { isStep: false });
  const put = (columns: readonly string[]) => changeChoice({ columns }, { isStep: false });
  const toggle = (name: string) =>
    put(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  /** To the place of another, or by one place. */
  const move = (name: string, to: number) => {
    const others = names.filter((one) => one !== name);
    if (to >= 0 && to <= others.length) put(others.toSpliced(to, 0, name));
  };
  const own = known.columns.filter(({ isOfList }) => isOfList).map(({ name }) => name);
  const ownShown = own.filter((name) => names.includes(name));
  const isOwnShown = ownShown.length === Math.min(own.length, mostShown);
  const words = search.toLowerCase().split(/\s+/);
  const fits = ({ label, name, group }: TableColumn) => {
    const text = `${label} ${name} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const hidden = known.columns.filter((one) => !names.includes(one.name) && fits(one));
  const box = ({ name, label, about }: TableColumn, isShown: boolean) => (
    <label class="facet-value" title={about}>
      <input
        type="checkbox"
        checked={isShown}
        disabled={isShown && names.length === 1}
        onChange={() => toggle(name)}
      />
      <span class="text">{label}</span>
    </label>
  );
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
      {onSaved && (
        <SavePreset
          columns={names}
          onSaved={(name) => {
            onSaved();
            choosePreset(name);
          }}
        />
      )}
      <input
        type="search"
        aria-label="Search the columns"
        placeholder="Search the columns"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {own.length > 1 && (
        <button
          type="button"
          onClick={() =>
            put(
              isOwnShown
                ? names.filter((name) => name === names[0] || !own.includes(name))
                : [...names, ...own.filter((name) => !names.includes(name))],
            )
          }
        >
          {isOwnShown ? 'Hide' : 'Show'} all {counted(own.length, 'column', 'columns')} of your list
        </button>
      )}
      <section aria-label="Shown">
        <h3>Shown, in this order</h3>
        <ol>
          {shown.map((column, at) =>
            fits(column) ? (
              <li
                key={column.name}
                class={dragged === column.name ? 'column-item is-dragged' : 'column-item'}
                draggable
                onDragStart={() => setDragged(column.name)}
                onDragEnd={() => setDragged(undefined)}
                onDragOver={(event) => event.preventDefault()}
                onDrop={(event) => {
                  event.preventDefault();
                  if (dragged !== undefined) move(dragged, at);
                }}
              >
                {box(column, true)}
                <button
                  type="button"
                  class="plain"
                  disabled={at === 0}
                  aria-label={`Move ${column.label} up`}
                  onClick={() => move(column.name, at - 1)}
                >
                  ↑
                </button>
                <button
                  type="button"
                  class="plain"
                  disabled={at === shown.length - 1}
                  aria-label={`Move ${column.label} down`}
                  onClick={() => move(column.name, at + 1)}
                >
                  ↓
                </button>
              </li>
            ) : null,
          )}
        </ol>
      </section>
      {[...Map.groupBy(hidden.slice(0, mostListed), ({ group }) => group)].map(
        ([group, columns]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            {columns.map((column) => (
              <div key={column.name}>{box(column, false)}</div>
            ))}
          </section>
        ),
      )}
      {hidden.length > mostListed && (
        <p class="note">
          and {counted(hidden.length - mostListed, 'column', 'columns')} more: search for them
        </p>
      )}
      {hidden.length === 0 && !shown.some(fits) && <p class="empty">No column has these words.</p>}
    </div>
  );
}

interface SavePresetProps {
  readonly columns: readonly string[];
  readonly onSaved: (name: string) => void;
}

/** Keeps the columns that are shown under a name, for every list of the folder. */
function SavePreset({ columns, onSaved }: SavePresetProps) {
  const [label, setLabel] = useState('');
  const [problem, setProblem] = useState<ApiProblem>();
  const name = label.trim();
  const save = () => {
    setProblem(undefined);
    ask<{ name: string }>('presets', { method: 'PUT', body: { label: name, columns } }).then(
      (preset) => {
        setLabel('');
        onSaved(preset.name);
      },
      (error) => setProblem(problemOf(error)),
    );
  };
  return (
    <>
      <form
        class="save-preset"
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '') save();
        }}
      >
        <input
          type="text"
          aria-label="Name for these columns"
          placeholder="Save these columns as …"
          maxLength={60}
          value={label}
          onInput={({ currentTarget }) => setLabel(currentTarget.value)}
        />
        <button type="submit" disabled={name === ''}>
          Save
        </button>
      </form>
      {problem && <Problem problem={problem} />}
    </>
  );
}
