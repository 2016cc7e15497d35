import { useMemo, useState } from 'preact/hooks';
import { kindName } from '../../../../core/contract/identifier-kinds.ts';
import { counted, formatNumber } from '../../../../core/values/format.ts';
import { rowNumberTitle } from '../../../words/labels.ts';
import type { ListRead } from '../../../workbench/api/answers.ts';
import { percent } from '../../parts/format.ts';
import { moveBy } from '../result/grid-keys.ts';
import { chooseRole, roleValue, shownOrder } from './roles.ts';
import type { ListReading } from './use-reading.ts';

type Column = ListRead['columns'][number];

const asGrid = { role: 'grid', 'aria-readonly': true } as const;
const columnsUnfolded = 10;

export function ListGrid({ read, isBusy, choose }: ListReading & { isBusy: boolean }) {
  const [reason, setReason] = useState('');
  const [isUnfolded, setUnfolded] = useState(false);
  const look = ({ target }: Event) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-why]') : null;
    setReason(cell?.dataset.why ?? '');
  };
  const { columns } = read;
  const order = shownOrder(read).filter((index, at) => {
    const column = columns[index];
    const isUsed = column && (column.isName || roleValue(column) !== 'nothing');
    return isUnfolded || at < columnsUnfolded || isUsed;
  });
  const heads = order.flatMap((index) => columns[index] ?? []);
  const folded = columns.length - order.length;
  // Drawing the cells is slow, so they are drawn again only if they change.
  const rows = useMemo(() => <Rows read={read} order={order} />, [read, order.join()]);
  return (
    <div class="grid-frame">
      <div class="scroll" aria-busy={isBusy}>
        <table {...asGrid} class="table" aria-label={`The first rows of ${read.list}`}>
          <thead>
            <tr>
              <th scope="col" title={rowNumberTitle}>
                Row
              </th>
              {heads.map(({ name, isName }) => (
                <th key={name} scope="col" class={pinned(isName)} title={name}>
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
            <tr class="roles">
              <td />
              {heads.map((column) => (
                <td key={column.name} class={pinned(column.isName)}>
                  <RoleChoice {...{ read, column, choose }} />
                </td>
              ))}
            </tr>
          </thead>
          <tbody
            onKeyDown={(event) => moveFocus(event.currentTarget, event)}
            onFocusIn={(event) => {
              keepOneTabStop(event.currentTarget, event.target);
              look(event);
            }}
            onPointerOver={look}
          >
            {rows}
          </tbody>
        </table>
      </div>
      <div class="row between note">
        <p role="status">{reason}</p>
        {(folded > 0 || isUnfolded) && (
          <button type="button" class="plain" onClick={() => setUnfolded(!isUnfolded)}>
            {isUnfolded ? 'Show fewer columns' : `Show ${counted(folded, 'more column')}`}
          </button>
        )}
      </div>
    </div>
  );
}

const pinned = (isName: boolean) => (isName ? 'pinned' : undefined);

function RoleChoice({ read, column, choose }: ListReading & { column: Column }) {
  const value = roleValue(column);
  return (
    <span class="role">
      <select
        aria-label={`Use of ${column.name}`}
        class={value === 'nothing' ? undefined : 'role-used'}
        value={value}
        onChange={({ currentTarget }) => choose(chooseRole(read, column, currentTarget.value))}
      >
        {/* A detected key stays the key until another column is chosen. */}
        {!(column.isKeyFound && value === 'key') && (
          <option value="nothing">{column.isPlace ? 'place of the name' : 'not used'}</option>
        )}
        <option value="country">Country</option>
        <option value="key">Row key</option>
        <optgroup label="Find companies by">
          {kindsFor(read, column).map((kind) => (
            <option key={kind} value={`identifier ${kind}`}>
              {kindName(kind)}
            </option>
          ))}
        </optgroup>
      </select>
      <span title={`${formatNumber(read.rowsSeen - column.filled)} blank`}>
        {goodWords(column)}
      </span>
    </span>
  );
}

/** Kinds with the same name are read alike, so only one of them is offered: the one in use. */
function kindsFor({ names }: ListRead, { role }: Column) {
  const used = role.is === 'identifier' ? [role.as] : [];
  return [...Map.groupBy([...names.kinds, ...used], kindName).values()].flatMap(
    (kinds) => kinds.find((kind) => used.includes(kind)) ?? kinds[0] ?? [],
  );
}

function goodWords({ role, isKey, filled, good, repeated, identifiers }: Column) {
  if (filled === 0) return 'empty';
  if (role.is === 'identifier' && role.as === 'name') return '';
  if (role.is !== 'nothing') {
    return `${good === filled ? 'all' : `${formatNumber(good)} of`} ${formatNumber(filled)} valid`;
  }
  if (isKey) return repeated === 0 ? 'unique' : `${formatNumber(repeated)} repeated`;
  return identifiers > 0 ? `${percent(identifiers, filled)} identifiers` : '';
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
          <tr key={line}>
            <th
              scope="row"
              tabIndex={at === 0 ? 0 : -1}
              title={`${unit} ${formatNumber(line)} of the ${where}`}
              {...(problem !== null && { 'data-why': `Row ${number}: ${problem}` })}
            >
              {number}
              {problem !== null && <Why text={problem} />}
            </th>
            {order.map((index) => {
              const why = reasons.get(index);
              const { name = '', isName = false } = columns[index] ?? {};
              return (
                <td
                  key={name}
                  class={pinned(isName)}
                  tabIndex={-1}
                  {...(why !== undefined && {
                    'aria-invalid': true,
                    'data-why': `Row ${number}, ${name}: ${why}`,
                  })}
                >
                  <bdi>{cells[index]}</bdi>
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

/** For screen readers. */
function Why({ text }: { text: string }) {
  return <span class="unseen">{` (${text})`}</span>;
}

function keepOneTabStop(body: HTMLElement, target: EventTarget | null) {
  if (!(target instanceof HTMLTableCellElement)) return;
  for (const cell of body.querySelectorAll<HTMLElement>('[tabindex="0"]')) cell.tabIndex = -1;
  target.tabIndex = 0;
}

function moveFocus({ rows }: HTMLTableSectionElement, event: KeyboardEvent) {
  const cell = event.target;
  if (!(cell instanceof HTMLTableCellElement)) return;
  const row = [...rows].indexOf(cell.parentElement as HTMLTableRowElement);
  const size = { rows: rows.length, columns: rows[0]?.cells.length ?? 0 };
  const next = moveBy(event, { row, column: cell.cellIndex }, size);
  if (!next) return;
  event.preventDefault();
  const to = next.turn === 0 ? next.row : row + 10 * next.turn;
  rows[Math.max(0, Math.min(to, rows.length - 1))]?.cells[next.column]?.focus();
}
