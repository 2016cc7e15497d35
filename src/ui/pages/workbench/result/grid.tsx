import { formatMinute, formatNumber } from '../../../../core/values/format.ts';
import { rowNumberTitle } from '../../../words/labels.ts';
import type { TableColumn, TableRow } from '../../../workbench/api/answers.ts';
import { StatusMark } from '../../parts/status-mark.tsx';
import { Outside } from '../../parts/text.tsx';
import { cellText, linkOf } from './cell-text.ts';
import { FixInput, groupedAbn } from './fix-input.tsx';
import { Reason, type RowProps as ReasonProps, wrongCell } from './row-reason.tsx';
import { cellKey, correctionOf, fixableIn, type ShownCorrection, wasWords } from './use-fixing.ts';
import { cellId, toggleAll, useGrid } from './use-grid.ts';
import type { Table } from './use-table.ts';

/** One tab stop; arrow keys move within the table. */
export function Grid(table: Table) {
  const { columns, page, loaded, choice, grid, fixing } = table;
  const { rows = [], total = 0 } = page ?? {};
  const { position, ...actions } = useGrid(table);
  const cellProps = (row: number, at: number) => {
    const { type } = columns[at - 1] ?? {};
    const classes = [
      at === 1 && 'pinned',
      (type === 'integer' || type === 'decimal') && 'number',
      position.row === row && position.column === at && 'at',
    ];
    return { id: cellId({ row, column: at }), class: classes.filter(Boolean).join(' ') };
  };
  const semantics = {
    role: 'grid',
    tabIndex: 0,
    'aria-rowcount': total + 1,
    ...(rows.length > 0 && { 'aria-activedescendant': cellId(position) }),
  } as const;
  return (
    <table
      ref={grid}
      class={fixing.isOn ? 'table is-fixing' : 'table'}
      {...semantics}
      aria-label={choice.isPeople ? 'People' : 'Rows'}
      aria-busy={loaded.isLoading}
      {...actions}
    >
      <Head {...table} cellProps={cellProps} />
      <tbody>
        {rows.map((row, index) => (
          <Row
            key={`${row.number} ${index}`}
            {...{ ...table, row, index, cellProps }}
            isAt={position.row === index}
          />
        ))}
      </tbody>
    </table>
  );
}

type HeadProps = Table & { cellProps(row: number, at: number): object };
type RowProps = HeadProps & ReasonProps;

function Head({ columns, choice, fixing, cellProps }: HeadProps) {
  const { rows = [], selected } = fixing;
  const order = choice.isDescending ? 'descending' : 'ascending';
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th {...cellProps(-1, 0)} scope="col" title={rowNumberTitle}>
          {fixing.isOn && (
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Select all ${formatNumber(rows.length)} rows`}
              checked={selected.size > 0 && selected.size === rows.length}
              onChange={() => toggleAll(fixing)}
            />
          )}
          Row
        </th>
        {columns.map(({ name, label, about, isSortable }, index) => {
          const isSorted = choice.sort === name;
          return (
            <th
              key={name}
              {...cellProps(-1, index + 1)}
              scope="col"
              aria-sort={isSortable ? (isSorted ? order : 'none') : undefined}
              title={about || label}
            >
              {label}
              {isSorted && <span aria-hidden="true">{choice.isDescending ? ' ↓' : ' ↑'}</span>}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Row(props: RowProps) {
  const { columns, page, choice, fixing, cellProps, row, index } = props;
  const isSelected = fixing.selected.has(row.number);
  const wrong = wrongCell(props);
  return (
    <tr
      aria-rowindex={(page?.offset ?? 0) + index + 2}
      aria-selected={choice.row === row.number || (fixing.isOn && isSelected)}
    >
      <th {...cellProps(index, 0)} scope="row">
        {fixing.isOn && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select row ${formatNumber(row.number)}`}
            checked={isSelected}
            onClick={({ shiftKey }) => fixing.toggle(row.number, shiftKey)}
          />
        )}
        {formatNumber(row.number)}
      </th>
      {columns.map((column, at) => (
        <td
          key={column.name}
          {...cellProps(index, at + 1)}
          aria-invalid={column.name === wrong?.marked || undefined}
          data-head={column.label}
        >
          {column.name === 'status' ? (
            <StatusMark {...row} />
          ) : (
            <CellText {...props} column={column} />
          )}
          {at === 0 && fixing.isOn && (
            <small>
              <StatusMark {...row} reason={null} /> {wrong && <Reason {...props} {...wrong} />}
            </small>
          )}
        </td>
      ))}
    </tr>
  );
}

function CellText(props: RowProps & { column: TableColumn }) {
  const { fixing, page, row, column } = props;
  const { name, type } = column;
  const cellAt = page?.columns.findIndex((one) => one.name === name) ?? -1;
  const cell = row.cells[cellAt] ?? null;
  const text = cellText(cell, column);
  const header = fixing.fixes.columns.find((one) => one.name === name)?.header;
  const isCut = row.cut?.includes(name) === true;
  const correction = correctionOf(fixing, row.key, header, text, isCut);
  const link = linkOf(cell, column);
  const { editing } = fixing;
  const refusal = fixing.refused.get(cellKey({ ...row, header: header ?? '' }));
  if (editing?.number === row.number && editing.header === header) {
    // The page has only the beginning of a cut cell, so its input starts empty.
    const value = refusal?.value ?? correction?.now ?? (isCut ? '' : text);
    const isName = fixing.fixes.columns.some((one) => one.name === name && one.isName);
    const suggestions = isName ? row.suggestions : undefined;
    return <FixInput {...{ ...props, value, correction, suggestions }} cell={editing} />;
  }
  if (refusal && fixing.isOn) {
    return (
      <b class="text fixable refused">
        ⚠ <bdi>{refusal.value}</bdi>
      </b>
    );
  }
  return (
    <bdi
      class={fixableIn(fixing, row, name) && 'text fixable'}
      title={type === 'timestamp' && text !== '' ? formatMinute(String(cell)) : text}
    >
      {correction ? (
        <Fixed {...correction} row={row} />
      ) : link ? (
        <Outside href={link} tabIndex={-1}>
          {text}
        </Outside>
      ) : (
        text
      )}
    </bdi>
  );
}

/** A company that was chosen for a name keeps a name beside its number. */
function chosenName({ suggestions, registerName }: NamedRow, now: string) {
  if (!/^\d{11}$/.test(now)) return undefined;
  return suggestions?.find(({ value }) => value === now)?.name ?? registerName;
}

type NamedRow = Pick<TableRow, 'suggestions' | 'registerName'>;

export function Fixed({ now, was, row }: ShownCorrection & { row: NamedRow }) {
  const name = chosenName(row, now);
  return (
    <>
      <bdi class="fixed">{name ? `${name} · ABN ${groupedAbn(now)}` : now || 'empty'}</bdi>{' '}
      <s>
        was <bdi>{wasWords(was)}</bdi>
      </s>
    </>
  );
}
