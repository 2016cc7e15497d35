import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ListRead } from '../../../workbench/api.ts';
import { count, counted, percent } from '../../parts/format.ts';
import { kindName, rowNumberTitle } from '../../parts/labels.ts';
import { chooseRole, roleValue, shownOrder } from './roles.ts';
import type { Choose } from './use-reading.ts';

type Column = ListRead['columns'][number];

interface GridProps {
  readonly read: ListRead;
  /** Columns that the user has looked for. */
  readonly shown: readonly string[];
  readonly isBusy: boolean;
  readonly choose: Choose;
}

/** A table whose cells are moved between with arrows. */
const asGrid = { role: 'grid', 'aria-readonly': true } as const;
const columnsUnfolded = 10;

/** The first rows as they were read. Arrow keys move; a rejected cell says why where it is looked at. */
export function Grid({ read, shown, isBusy, choose }: GridProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [says, setSays] = useState('');
  const [isUnfolded, setUnfolded] = useState(false);
  const look = useCallback(({ target }: Event) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-why]') : null;
    setSays(cell?.dataset.why ?? '');
  }, []);
  const { columns } = read;
  const order = shownOrder(read).filter((index, at) => {
    const column = columns[index];
    const isUsed = column && roleValue(column) !== 'nothing';
    return isUnfolded || at < columnsUnfolded || isUsed || shown.includes(column?.name ?? '');
  });
  const heads = order.flatMap((index) => columns[index] ?? []);
  const folded = columns.length - order.length;
  // Drawing the cells takes longer than all the rest, and they change with the list alone.
  const rows = useMemo(() => <Rows read={read} order={order} />, [read, order.join()]);
  return (
    <div class="grid-frame">
      <div class="grid-scroll" aria-busy={isBusy}>
        <table {...asGrid} aria-label={`The first rows of ${read.list}`}>
          <thead>
            <tr>
              <th scope="col" title={rowNumberTitle}>
                Row
              </th>
              {heads.map(({ name }) => (
                <th key={name} scope="col" title={name}>
                  {name}
                </th>
              ))}
            </tr>
            <tr class="roles">
              <td />
              {heads.map((column) => (
                <td key={column.name}>
                  <RoleChoice {...{ read, column, choose }} />
                </td>
              ))}
            </tr>
          </thead>
          <tbody
            ref={body}
            onKeyDown={(event) => body.current && moveFocus(body.current, event)}
            onFocusIn={(event) => {
              if (body.current) keepOneTabStop(body.current, event.target);
              look(event);
            }}
            onPointerOver={look}
          >
            {rows}
          </tbody>
        </table>
      </div>
      <div class="grid-foot">
        <p class="says" role="status">
          {says}
        </p>
        {(folded > 0 || isUnfolded) && (
          <button type="button" class="plain" onClick={() => setUnfolded(!isUnfolded)}>
            {isUnfolded ? 'Show fewer columns' : `Show ${counted(folded, 'more column')}`}
          </button>
        )}
      </div>
    </div>
  );
}

/** What a column is, and how many of its values are good. */
function RoleChoice(props: { read: ListRead; column: Column; choose: Choose }) {
  const { read, column, choose } = props;
  const { name, isKeyFound } = column;
  const value = roleValue(column);
  return (
    <span class="role">
      <select
        aria-label={`What ${name} is`}
        class={value === 'nothing' ? undefined : 'role-used'}
        value={value}
        onChange={({ currentTarget }) => choose(chooseRole(read, column, currentTarget.value))}
      >
        {/* A column that looks like the key is the key, unless another is chosen. */}
        {!(isKeyFound && value === 'key') && <option value="nothing">not used</option>}
        <option value="country">Country</option>
        <option value="key">Key of the row</option>
        <optgroup label="Find companies by">
          {read.names.kinds.map((kind) => (
            <option key={kind} value={`identifier ${kind}`}>
              {kindName(kind)}
            </option>
          ))}
        </optgroup>
      </select>
      <Good column={column} rowsSeen={read.rowsSeen} />
    </span>
  );
}

function Good({ column, rowsSeen }: { column: Column; rowsSeen: number }) {
  const { role, isKey, filled, good, repeated, identifiers } = column;
  const rejected = filled - good;
  const blank = `${count(rowsSeen - filled)} blank`;
  if (filled === 0) return <span>empty</span>;
  if (role.is !== 'nothing') {
    return (
      <span title={`${count(good)} good, ${count(rejected)} rejected, ${blank}`}>
        {`${percent(good, filled)} good`}
      </span>
    );
  }
  if (isKey) {
    return <span title={blank}>{repeated === 0 ? 'unique' : `${count(repeated)} repeated`}</span>;
  }
  return (
    <span title={blank}>{identifiers > 0 && `${percent(identifiers, filled)} identifiers`}</span>
  );
}

function Rows({ read, order }: { read: ListRead; order: readonly number[] }) {
  const { rows, columns, format } = read;
  const unit = format === 'xlsx' || format === 'parquet' ? 'Row' : 'Line';
  const where = format === 'xlsx' ? 'sheet' : 'file';
  return (
    <>
      {rows.map(({ number, line, cells, rejects, problem }, at) => {
        const reasons = new Map(rejects.map(({ cell, message }) => [cell, message]));
        return (
          <tr key={line} class={problem === null ? undefined : 'bad-row'}>
            <th
              scope="row"
              tabIndex={at === 0 ? 0 : -1}
              title={`${unit} ${count(line)} of the ${where}`}
              {...(problem !== null && { 'data-why': `Row ${number}: ${problem}` })}
            >
              {number}
              {problem !== null && <Why text={problem} />}
            </th>
            {order.map((index) => {
              const why = reasons.get(index);
              const name = columns[index]?.name ?? '';
              return (
                <td
                  key={name}
                  tabIndex={-1}
                  {...(why !== undefined && {
                    class: 'bad-cell',
                    'aria-invalid': true,
                    'data-why': `Row ${number}, ${name}: ${why}`,
                  })}
                >
                  {cells[index]}
                  {why !== undefined && <Why text={why} />}
                </td>
              );
            })}
          </tr>
        );
      })}
    </>
  );
}

/** For those who hear the cell rather than see its mark. */
function Why({ text }: { text: string }) {
  return <span class="unseen">{` (${text})`}</span>;
}

/** The grid is one stop of the tab key; arrows move within it. */
function keepOneTabStop(body: HTMLElement, target: EventTarget | null): void {
  if (!(target instanceof HTMLTableCellElement)) return;
  for (const cell of body.querySelectorAll<HTMLElement>('[tabindex="0"]')) cell.tabIndex = -1;
  target.tabIndex = 0;
}

const steps: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [10, 0],
  PageUp: [-10, 0],
};

function moveFocus(body: HTMLTableSectionElement, event: KeyboardEvent): void {
  const cell = event.target;
  if (!(cell instanceof HTMLTableCellElement)) return;
  const row = [...body.rows].indexOf(cell.parentElement as HTMLTableRowElement);
  const step = steps[event.key];
  const ends: Readonly<Record<string, number>> = { Home: 0, End: Number.MAX_SAFE_INTEGER };
  const column = ends[event.key] ?? cell.cellIndex + (step?.[1] ?? 0);
  if (!step && !(event.key in ends)) return;
  event.preventDefault();
  const wanted = body.rows[within(row + (step?.[0] ?? 0), body.rows.length)];
  wanted?.cells[within(column, wanted.cells.length)]?.focus();
}

function within(index: number, length: number): number {
  return Math.min(length - 1, Math.max(0, index));
}

/** The columns of a wide list that are not in the grid: each can be looked for, and shown there to be chosen. */
export function OtherColumns({ read, show }: { read: ListRead; show(column: string): void }) {
  const { columns, otherColumns } = read;
  const [wanted, setWanted] = useState<string>();
  useEffect(() => {
    if (!columns.some(({ name }) => name === wanted)) return;
    setWanted(undefined);
    [...document.querySelectorAll<HTMLElement>('.roles select')]
      .find(({ ariaLabel }) => ariaLabel === `What ${wanted} is`)
      ?.focus();
  }, [columns, wanted]);
  if (otherColumns.length === 0) return null;
  return (
    <label class="field">
      {`${counted(otherColumns.length, 'column more is', 'columns more are')} read and not shown. Show`}
      <input
        type="search"
        list="other-columns"
        placeholder="Search the other columns"
        onChange={({ currentTarget: { value } }) => {
          if (!otherColumns.includes(value)) return;
          setWanted(value);
          show(value);
        }}
      />
      <datalist id="other-columns">
        {otherColumns.slice(0, 5_000).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
