import { useState } from 'preact/hooks';
import { counted } from '../../../../core/values/format.ts';
import type { TableColumn } from '../../../workbench/api/answers.ts';
import { request } from '../../parts/api.ts';
import { Button, Check, Form, Problem } from '../../parts/controls.tsx';
import { useAttempt } from '../../parts/load.ts';
import { changeChoice } from './use-choice.ts';
import { mostShown, type Table } from './use-table.ts';

const mostListed = 300;
const choosePreset = (preset: string) => changeChoice({ preset, columns: [] }, false);

function show(columns: readonly TableColumn[]) {
  changeChoice({ columns: columns.map(({ name }) => name) }, false);
}

export function ColumnMenu(table: Table) {
  const { known, shown, choice } = table;
  const [search, setSearch] = useState('');
  const current = choice.columns.length > 0 ? undefined : (choice.preset ?? known.presets[0]?.name);
  const words = search.toLowerCase().split(/\s+/);
  const fits = ({ label, name, group }: TableColumn) => {
    const text = `${label} ${name} ${group}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const hidden = known.columns.filter((one) => !shown.includes(one) && fits(one));
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
      <SavePreset {...table} />
      <input
        type="search"
        aria-label="Search the columns"
        placeholder="Search the columns"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <OwnColumns {...table} />
      <section aria-label="Shown">
        <h3>Shown, in this order</h3>
        <ShownColumns {...table} fits={fits} />
      </section>
      {[...Map.groupBy(hidden.slice(0, mostListed), ({ group }) => group)].map(
        ([group, columns]) => (
          <section key={group} aria-label={group}>
            <h3>{group}</h3>
            {columns.map((column) => columnBox(column, shown))}
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

function SavePreset({ shown, onPresetSaved }: Table) {
  const { problem, attempt } = useAttempt();
  const save = async (label: string) => {
    const body = { label, columns: shown.map(({ name }) => name) };
    const { name } = await request<{ name: string }>('presets', { method: 'PUT', body });
    onPresetSaved();
    choosePreset(name);
  };
  return (
    <>
      <Form class="row" onSend={(label) => attempt(() => save(label))}>
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
      <Problem of={problem} />
    </>
  );
}

function OwnColumns({ known, shown }: Table) {
  const own = known.columns.filter(({ isOfList }) => isOfList);
  if (own.length <= 1) return null;
  const areShown =
    shown.filter(({ isOfList }) => isOfList).length === Math.min(own.length, mostShown);
  const others = shown.filter((one) => one === shown[0] || !one.isOfList);
  return (
    <Button onClick={() => show(areShown ? others : [...new Set([...shown, ...own])])}>
      {areShown ? 'Hide' : 'Show'} all {counted(own.length, 'column')} of your list
    </Button>
  );
}

function ShownColumns({ shown, fits }: Table & { fits(column: TableColumn): boolean }) {
  const [dragged, setDragged] = useState<TableColumn>();
  // Compares names, because the columns may be loaded again during a drag.
  const move = (column: TableColumn, to: number) =>
    show(shown.filter(({ name }) => name !== column.name).toSpliced(to, 0, column));
  const arrow = (column: TableColumn, to: number, direction: 'up' | 'down') => (
    <Button
      class="plain"
      disabled={to < 0 || to === shown.length}
      aria-label={`Move ${column.label} ${direction}`}
      onClick={() => move(column, to)}
    >
      {direction === 'up' ? '↑' : '↓'}
    </Button>
  );
  return (
    <ol>
      {shown.map(
        (column, at) =>
          fits(column) && (
            <li
              key={column.name}
              class={dragged?.name === column.name ? 'column-item is-dragged' : 'column-item'}
              draggable
              onDragStart={() => setDragged(column)}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault();
                if (dragged) move(dragged, at);
              }}
            >
              {columnBox(column, shown)}
              {arrow(column, at - 1, 'up')}
              {arrow(column, at + 1, 'down')}
            </li>
          ),
      )}
    </ol>
  );
}

function columnBox(column: TableColumn, shown: readonly TableColumn[]) {
  const isShown = shown.includes(column);
  return (
    <Check
      key={column.name}
      title={column.about}
      checked={isShown}
      disabled={isShown && shown.length === 1}
      onSet={() => show(isShown ? shown.filter((one) => one !== column) : [...shown, column])}
    >
      <bdi class="text">{column.label}</bdi>
    </Check>
  );
}
