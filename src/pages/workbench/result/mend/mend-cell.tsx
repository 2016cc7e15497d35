import type { TableRow } from '../../../../workbench/api/rows.ts';
import { MendInput } from './mend-input.tsx';
import { correctionOf, type Mending, mendableIn } from './use-mending.ts';

interface MendCellProps {
  readonly mending: Mending;
  readonly row: TableRow;
  /** Of its column. */
  readonly name: string;
  readonly text: string;
  /** The keyboard goes back to the table. */
  readonly onDone: () => void;
}

/** A cell of the list: as it was read, as it was mended, or as it is typed into. */
export function MendCell({ mending, row, name, text, onDone }: MendCellProps) {
  const known = mending.mended.columns.find((column) => column.name === name);
  const correction = known && correctionOf(mending, row, known.header, text);
  const shown = correction?.now ?? text;
  if (known && isEditing(mending, row, known.header)) {
    return (
      <MendInput
        {...{ mending, correction, onDone }}
        number={row.number}
        header={known.header}
        value={shown}
      />
    );
  }
  const isMendable = mendableIn(mending, row, (column) => column.name === name) !== undefined;
  return (
    <span class={isMendable ? 'text mendable' : 'text'} title={shown}>
      {correction ? <Corrected now={correction.now} was={correction.was} /> : text}
    </span>
  );
}

/** What a cell was mended to, and what it was. */
export function Corrected({ now, was }: { readonly now: string; readonly was: string }) {
  return (
    <>
      <span class="mended">{now === '' ? 'empty' : now}</span>{' '}
      <span class="was">was {was === '' ? 'empty' : was}</span>
    </>
  );
}

export function isEditing({ editing }: Mending, row: TableRow | undefined, header?: string) {
  if (!row || editing?.where !== 'table' || editing.number !== row.number) return false;
  return header === undefined || editing.header === header;
}
