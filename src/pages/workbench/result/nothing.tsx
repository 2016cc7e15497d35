import { type Choice, isNarrowed } from './choice.ts';

interface NothingProps {
  readonly choice: Choice;
  readonly onClear: () => void;
}

/** What stands in place of rows where there are none. */
export function Nothing({ choice, onClear }: NothingProps) {
  return (
    <div class="table-empty">
      {isNarrowed(choice) ? (
        <>
          <p>No row fits.</p>
          <button type="button" onClick={onClear}>
            Show all rows
          </button>
        </>
      ) : (
        <p>The list has no rows so far.</p>
      )}
    </div>
  );
}
