import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ListRead } from '../../../workbench/api/list-read.ts';
import { counted } from '../../parts/text/format.ts';
import { VirtualItems } from '../../parts/virtual-items.tsx';

interface OtherColumnsProps {
  readonly read: ListRead;
  readonly show: (column: string) => void;
}

/** The columns of a wide list that are not in the grid: each can be looked for, and shown there to be chosen. */
export function OtherColumns({ read: { columns, otherColumns }, show }: OtherColumnsProps) {
  const [search, setSearch] = useState('');
  const [wanted, setWanted] = useState<string>();
  const fitting = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/);
    return otherColumns.filter((name) => {
      const text = name.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [otherColumns, search]);
  useEffect(() => {
    if (!columns.some(({ name }) => name === wanted)) return;
    setWanted(undefined);
    choiceOf(wanted ?? '')?.focus();
  }, [columns, wanted]);
  if (otherColumns.length === 0) return null;
  return (
    <details class="other-columns">
      <summary>
        {`${counted(otherColumns.length, 'column more is', 'columns more are')} read and not shown: find one`}
      </summary>
      <input
        type="search"
        aria-label="Search the other columns"
        placeholder="Search the other columns"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <VirtualItems
        items={fitting}
        label="Other columns"
        keyOf={(name) => name}
        draw={(name) => (
          <button
            type="button"
            class="plain text"
            title={`Show ${name} in the grid, where it can be chosen`}
            onClick={() => {
              setWanted(name);
              show(name);
            }}
          >
            {name}
          </button>
        )}
      />
      {fitting.length === 0 && <p class="empty">No other column has these words.</p>}
    </details>
  );
}

/** Where it is chosen what a column of the grid is. */
function choiceOf(name: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('.roles select')].find(
    ({ ariaLabel }) => ariaLabel === `What ${name} is`,
  );
}
