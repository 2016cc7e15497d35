import type { KeptCorrection } from '../../../../workbench/api/mended.ts';
import type { TableRow } from '../../../../workbench/api/rows.ts';
import { MendInput } from './mend-input.tsx';
import { MendLong } from './mend-long.tsx';
import { correctionOf, type Mending, mendableIn, wasWords } from './use-mending.ts';

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
  const isCut = row.cut?.includes(name) === true;
  const correction = known && correctionOf(mending, row, known.header, { text, isCut });
  const shown = correction?.now ?? text;
  if (known && isEditing(mending, row, known.header)) {
    const { number } = row;
    const { header } = known;
    const typed = { mending, number, header, correction, onDone };
    return isCut && !correction ? <MendLong {...typed} /> : <MendInput {...typed} value={shown} />;
  }
  const isMendable = mendableIn(mending, row, (column) => column.name === name) !== undefined;
  const title = correction ? `${shown || 'empty'}, was ${wasWords(correction)}` : text;
  return (
    <span class={isMendable ? 'text mendable' : 'text'} title={title}>
      {correction ? <Corrected correction={correction} /> : text}
    </span>
  );
}

/** What a cell was mended to, and what it was. */
export function Corrected({ correction }: { readonly correction: KeptCorrection }) {
  const { now } = correction;
  return (
    <>
      <span class="mended">{now === '' ? 'empty' : now}</span>{' '}
      <span class="was">was {wasWords(correction)}</span>
    </>
  );
}

export function isEditing({ editing }: Mending, row: TableRow | undefined, header?: string) {
  if (!row || editing?.where !== 'table' || editing.number !== row.number) return false;
  return header === undefined || editing.header === header;
}
