import { useEffect } from 'preact/hooks';
import type { Facets, RowsPage } from '../../../workbench/api/rows.ts';
import { count, counted } from '../../parts/text/format.ts';
import { type Choice, isNarrowed } from './choice.ts';
import { countRejected, isOfRejected, rejected } from './mend/rejected.ts';
import { isTyping, SearchBox } from './narrow/search-box.tsx';
import type { ChangeChoice } from './use-choice.ts';

/** What opens over the table. */
export type SheetName = 'facets' | 'columns' | 'download' | 'keys';

interface ToolsProps {
  readonly choice: Choice;
  readonly change: ChangeChoice;
  readonly isWide: boolean;
  readonly page: RowsPage | undefined;
  readonly facets: Facets | undefined;
  readonly canMend: boolean;
  readonly onLeaveSearch: () => void;
  readonly onOpen: (sheet: SheetName) => void;
}

/** Above the table: search, what is counted, and the ways to mend, choose columns and download. */
export function Tools(props: ToolsProps) {
  const { choice, change, isWide, page, facets, canMend, onLeaveSearch, onOpen } = props;
  const isMending = canMend && isOfRejected(choice);
  const chosen = Object.values(choice.facets).flat().length;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      event.preventDefault();
      onOpen('keys');
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class="tools">
      {!isWide && (
        <button type="button" onClick={() => onOpen('facets')}>
          Filter{chosen > 0 && ` (${count(chosen)})`}
        </button>
      )}
      <SearchBox
        search={choice.search}
        change={change}
        isDisabled={page?.index.trouble != null}
        onLeave={onLeaveSearch}
      />
      <p class="tools-count" role="status">
        {page && rowsWords(page, isNarrowed(choice))}
      </p>
      {canMend && (isNarrowed(choice) || countRejected(facets) > 0) && (
        <button
          type="button"
          aria-pressed={isMending}
          onClick={() => change({ facets: isMending ? {} : { status: rejected } })}
        >
          Mend
        </button>
      )}
      <button type="button" onClick={() => onOpen('columns')}>
        Columns
      </button>
      <button type="button" disabled={!page} onClick={() => onOpen('download')}>
        Download
      </button>
      {isWide && (
        <button
          type="button"
          aria-label="Keys"
          aria-keyshortcuts="?"
          title="Keys of the table"
          onClick={() => onOpen('keys')}
        >
          ?
        </button>
      )}
    </div>
  );
}

/** Until the rows of the choice have come, the count is of those that are shown. */
function rowsWords({ total, all }: RowsPage, isNarrow: boolean): string {
  return isNarrow || total < all
    ? `${count(total)} of ${counted(all, 'row', 'rows')}`
    : counted(all, 'row', 'rows');
}
