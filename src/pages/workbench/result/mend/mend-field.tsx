import { useRef } from 'preact/hooks';
import type { WholeRow } from '../../../../workbench/api/whole-row.ts';
import { Corrected } from './mend-cell.tsx';
import { MendInput } from './mend-input.tsx';
import { tooLong } from './mend-long.tsx';
import { correctionOf, type Mending, mendableIn } from './use-mending.ts';

interface MendFieldProps {
  readonly mending: Mending;
  readonly row: WholeRow['row'];
  readonly header: string;
  readonly cell: string | null;
  /** It is longer than what is shown. */
  readonly isCut: boolean;
}

/** A cell of the list in the drawer of its row. */
export function MendField({ mending, row, header, cell, isCut }: MendFieldProps) {
  const button = useRef<HTMLButtonElement>(null);
  const correction = correctionOf(mending, row, header, { text: cell ?? '', isCut });
  const isMendable = mendableIn(mending, row, (column) => column.header === header) !== undefined;
  const shown = correction?.now ?? cell ?? '';
  const { number } = row;
  const { editing } = mending;
  if (editing?.where === 'drawer' && editing.number === number && editing.header === header) {
    const onDone = () => {
      mending.leave();
      setTimeout(() => button.current?.focus());
    };
    return <MendInput {...{ mending, number, header, correction, onDone }} value={shown} />;
  }
  return (
    <>
      {correction && <Corrected correction={correction} />}
      {!correction && (shown === '' ? <span class="none">empty</span> : shown)}
      {isMendable && isCut && <small> {tooLong}</small>}
      {((isMendable && !isCut) || correction) && (
        <span class="mend-buttons">
          {isMendable && !isCut && (
            <button
              ref={button}
              type="button"
              class="plain"
              aria-label={`Mend ${header}`}
              onClick={() => mending.begin({ number, header, where: 'drawer' })}
            >
              Mend
            </button>
          )}
          {correction && (
            <button
              type="button"
              class="plain"
              aria-label={`Take back ${header}`}
              title={correction.isAsked ? 'The row is as the list has it from the next run on' : ''}
              onClick={() => mending.takeBack(correction)}
            >
              Take back
            </button>
          )}
        </span>
      )}
    </>
  );
}
