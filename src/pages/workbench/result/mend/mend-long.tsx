import { useEffect, useRef } from 'preact/hooks';
import type { WholeRow } from '../../../../workbench/api/whole-row.ts';
import { ask } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';
import { useLoaded } from '../../shell/use-loaded.ts';
import { MendInput, type MendInputProps } from './mend-input.tsx';

/** Of a cell that is longer than a page can hold. */
export const tooLong = 'Too long to be mended here: mend it in your list, and run that again.';

/** A cell of which the table has only the beginning: it is typed into when the whole of it is there. */
export function MendLong(props: Omit<MendInputProps, 'value'>) {
  const { mending, number, header, onDone } = props;
  const { job } = mending;
  const row = useLoaded(JSON.stringify([job, number]), (signal) =>
    ask<WholeRow>('row', { query: { job, number }, signal }),
  );
  const whole = row.value?.list.find((one) => one.header === header);
  if (whole && !whole.isCut) return <MendInput {...props} value={whole.cell ?? ''} />;
  return (
    <span class="mend-place">
      <span class="verdict verdict-refused">
        {row.problem && <Problem problem={row.problem} />}
        {!whole && !row.problem && <span class="none late">Reading the cell …</span>}
        {whole && <span role="status">{tooLong}</span>}
        <Leave onDone={onDone} />
      </span>
    </span>
  );
}

/** It has the keyboard, which a cell without a field would lose. */
function Leave({ onDone }: Pick<MendInputProps, 'onDone'>) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <button
      ref={button}
      type="button"
      class="plain"
      onClick={onDone}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone();
      }}
    >
      Leave it
    </button>
  );
}
