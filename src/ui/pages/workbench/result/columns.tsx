import { useState } from 'preact/hooks';
import { counted } from '../../../../core/runtime/format.ts';
import type { TableColumn, TableColumns } from '../../../workbench/api.ts';
import { request } from '../../parts/api.ts';
import { Button, Check, Form, Problem } from '../../parts/controls.tsx';
import { useAttempt } from '../../parts/load.ts';
import type { Choice } from './choice.ts';
import { changeChoice } from './use-choice.ts';

/** A list may have 100,000 columns, too many to draw. */
const mostShown = 200;
const mostListed = 300;

export function chosenColumns(
  { presets }: TableColumns,
  { preset, columns }: Choice,
): readonly string[] {
  if (columns.length > 0) return columns;
  return (presets.find(({ name }) => name === preset) ?? presets[0])?.columns ?? [];
}

/** Skips columns of a preset that this run does not have. */
export function shownColumns(known: TableColumns, choice: Choice): readonly TableColumn[] {
  const { columns } = known;
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = chosenColumns(known, choice).flatMap((name) => byName.get(name) ?? []);
  return (shown.length > 0 ? shown : columns).slice(0, mostShown);
}

export function ColumnMenu({
  known,
  shown,
  choice,
  onSaved,
}: {
  known: TableColumns;
  shown: readonly TableColumn[];
  choice: Choice;
  onSaved: (() => void) | undefined;
}) {
  const [search, setSearch] = useState('');
  const [dragged, setDragged] = useState<string>();
  const { problem, attempt } = useAttempt();
  const names = shown.map(({ name }) => name);
  const current = choice.columns.length > 0 ? undefined : (choice.preset ?? known.presets[0]?.name);
  const choosePreset = (preset: string) => changeChoice({ preset, columns: [] }, false);
  const put = (columns: readonly string[]) => changeChoice({ columns }, false);
  const move = (name: string, to: number) =>
    put(names.filter((one) => one !== name).toSpliced(to, 0, name));
  const own = known.columns.filter(({ isOfList }) => isOfList).map(({ name }) => name);
  const isOwnShown =
    own.filter((name) => names.includes(name)).length === Math.min(own.length, mostShown);
  const words = search.toLowerCase().split(/\s+/);
  const fits = ({ label, name, group }: TableColumn) => {
    const text = `${label} ${name} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const hidden = known.columns.filter((one) => !names.includes(one.name) && fits(one));
  const box = ({ name, label, about }: TableColumn, isShown: boolean) => (
    <Check
      key={name}
      title={about}
      checked={isShown}
      disabled={isShown && names.length === 1}
      onSet={() => put(isShown ? names.filter((one) => one !== name) : [...names, name])}
    >
      <span class="text">{label}</span>
    </Check>
  );
  const arrow = ({ name, label }: TableColumn, to: number, direction: 'up' | 'down') => (
    <Button
      class="plain"
      disabled={to < 0 || to === shown.length}
      aria-label={`Move ${label} ${direction}`}
      onClick={() => move(name, to)}
    >
      {direction === 'up' ? '↑' : '↓'}
    </Button>
  );
  return (
    <div class="stack">
      <fieldset class="row chips">
        <legend class="unseen">Presets</legend>
        {known.presets.map(({ name, label }) => (
          <Button key={name} aria-pressed={current === name} onClick={() => choosePreset(name)}>
            {label}
          </Button>
        ))}
      </fieldset>
      {onSaved && (
        <Form
          class="row"
          onSend={(label) =>
            attempt(async () => {
              const body = { label, columns: names };
              const { name } = await request<{ name: string }>('presets', { method: 'PUT', body });
              onSaved();
              choosePreset(name);
            })
          }
        >
          <input
            type="text"
            name="label"
            aria-label="Name for these columns"
            placeholder="Save these columns as …"
            required
            maxLength={60}
          />
          <button type="submit">Save</button>
        </Form>
      )}
      <Problem of={problem} />
      <input
        type="search"
        aria-label="Search the columns"
        placeholder="Search the columns"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      {own.length > 1 && (
        <Button
          onClick={() =>
            put(
              isOwnShown
                ? names.filter((name) => name === names[0] || !own.includes(name))
                : [...names, ...own.filter((name) => !names.includes(name))],
            )
          }
        >
          {isOwnShown ? 'Hide' : 'Show'} all {counted(own.length, 'column')} of your list
        </Button>
      )}
      <section aria-label="Shown">
        <h3>Shown, in this order</h3>
        <ol>
          {shown.map(
            (column, at) =>
              fits(column) && (
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
                  {arrow(column, at - 1, 'up')}
                  {arrow(column, at + 1, 'down')}
                </li>
              ),
          )}
        </ol>
      </section>
      {[...Map.groupBy(hidden.slice(0, mostListed), ({ group }) => group)].map(
        ([group, columns]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            {columns.map((column) => box(column, false))}
          </section>
        ),
      )}
      {hidden.length > mostListed && (
        <p class="note">
          and {counted(hidden.length - mostListed, 'more column')}: search to find them
        </p>
      )}
      {hidden.length === 0 && !shown.some(fits) && <p class="muted">No columns match.</p>}
    </div>
  );
}
