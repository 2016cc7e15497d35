import { counted, percent } from '../text/format.ts';
import { statusNames } from '../text/labels.ts';

type Status = keyof typeof statusNames;

interface StackedBarProps {
  readonly parts: readonly { readonly status: Status; readonly rows: number }[];
  readonly whole: number;
}

/** Parts of a whole in one line. It is hidden from screen readers: its numbers stand beside it as text. */
export function StackedBar({ parts, whole }: StackedBarProps) {
  return (
    <div class="stack" aria-hidden="true">
      {parts
        .filter(({ rows }) => rows > 0)
        .map(({ status, rows }) => (
          <span
            key={status}
            class={`fill-${status}`}
            style={{ flexGrow: String(rows / Math.max(1, whole)) }}
            title={`${statusNames[status]}: ${counted(rows, 'row', 'rows')}, ${percent(rows, whole)}`}
          />
        ))}
    </div>
  );
}
