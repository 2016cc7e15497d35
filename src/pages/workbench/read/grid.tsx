import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { ListRead } from '../../../workbench/api/list-read.ts';
import { count } from '../../parts/text/format.ts';
import { rowNumberTitle } from '../../parts/text/labels.ts';
import { Holds, RoleChoice } from './column-head.tsx';
import type { Choose } from './use-reading.ts';

interface GridProps {
  readonly read: ListRead;
  readonly isBusy: boolean;
  readonly choose: Choose;
}

/** A table whose cells are moved between with arrows. */
const asGrid = { role: 'grid', 'aria-readonly': true } as const;

/** The first rows as they were read. Arrow keys move; a rejected cell says why where it is looked at. */
export function Grid({ read, isBusy, choose }: GridProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [says, setSays] = useState('');
  const look = useCallback(({ target }: Event) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-why]') : null;
    setSays(cell?.dataset.why ?? '');
  }, []);
  // Drawing the cells takes longer than all the rest, and they change with the list alone.
  const rows = useMemo(() => <Rows read={read} />, [read]);
  return (
    <div class="grid-frame">
      <div class="grid-scroll" aria-busy={isBusy}>
        <table {...asGrid} aria-label={`The first rows of ${read.list}`}>
          <thead>
            <tr class="roles">
              <th scope="row">is</th>
              {read.columns.map((column) => (
                <td key={column.name}>
                  <RoleChoice {...{ read, column, choose }} />
                </td>
              ))}
            </tr>
            <tr>
              <th scope="col" title={rowNumberTitle}>
                Row
              </th>
              {read.columns.map(({ name }) => (
                <th key={name} scope="col" title={name}>
                  {name}
                </th>
              ))}
            </tr>
            <tr class="holds">
              <th scope="row">holds</th>
              {read.columns.map((column) => (
                <td key={column.name}>
                  <Holds column={column} rowsSeen={read.rowsSeen} />
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
      <p class="says" role="status">
        {says}
      </p>
    </div>
  );
}

function Rows({ read: { rows, columns, format } }: { readonly read: ListRead }) {
  const unit = format === 'xlsx' ? 'Row' : 'Line';
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
            {cells.map((cell, index) => {
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
                  {cell}
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
function Why({ text }: { readonly text: string }) {
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
