import { useEffect, useRef, useState } from 'preact/hooks';
import type { Facets, TableColumn, TableColumns } from '../../../workbench/api/rows.ts';
import { count, counted } from '../../parts/text/format.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { Sheet, SheetHead } from '../shell/sheet.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { useMedia } from '../shell/use-media.ts';
import { type Choice, isNarrowed } from './choice.ts';
import { DownloadForm } from './download/download-form.tsx';
import { MendBar } from './mend/mend-bar.tsx';
import { countRejected, isOfRejected, mendableFirst, rejected } from './mend/rejected.ts';
import type { Mending } from './mend/use-mending.ts';
import { Chips } from './narrow/chips.tsx';
import { FacetList } from './narrow/facet-list.tsx';
import { SearchBox } from './narrow/search-box.tsx';
import { RowDrawer } from './row/row-drawer.tsx';
import { ColumnMenu } from './table/column-menu.tsx';
import { Grid } from './table/grid.tsx';
import { IndexNote } from './table/index-note.tsx';
import { addressOf, type ShownRows, useRows } from './table/use-rows.ts';
import { useChoice } from './use-choice.ts';
import { useTurns } from './use-turns.ts';

interface RowsViewProps {
  readonly job: string;
  readonly run: string | undefined;
  readonly known: TableColumns;
  /** Different whenever rows may look otherwise than before. */
  readonly mark: string | undefined;
  readonly isRunning: boolean;
  readonly onPresetSaved: () => void;
  readonly mending: Mending;
  readonly onAskedAgain: () => void;
}

/** The table with all that narrows it, and the row that is open. */
export function RowsView(props: RowsViewProps) {
  const { job, run, known, mark, isRunning, onPresetSaved, mending, onAskedAgain } = props;
  const [choice, change] = useChoice();
  const [sheet, setSheet] = useState<'facets' | 'columns' | 'download'>();
  const [focusTurn, setFocusTurn] = useState(0);
  const isWide = useMedia('(min-width: 60rem)');
  const grid = useRef<HTMLTableElement>(null);
  const isMending = isOfRejected(choice) && mending.mended.columns.length > 0;
  const chosenColumns = shownColumns(known, choice);
  const columns = isMending
    ? mendableFirst(chosenColumns, known.columns, mending, { isWide })
    : chosenColumns;
  const names = columns.map(({ name }) => name);
  const narrowed = { search: choice.search, facets: choice.facets };
  const rows = useRows(job, run, {
    ...narrowed,
    ...(choice.sort !== null && { sort: choice.sort, descending: choice.isDescending }),
    columns: names,
  });
  const { search, facets: facetsInAddress } = addressOf(narrowed);
  const facets = useLoaded(JSON.stringify([job, run, narrowed]), (signal) =>
    ask<Facets>('facets', { query: { job, run, search, facets: facetsInAddress }, signal }),
  );
  const page = rows.store?.page;
  const turn = useTurns(mark, 1_000);
  const isBehind = useRefresh({ rows, facets, turn, choice, isRunning, grid });

  const close = () => {
    change({ row: null, at: null });
    grid.current?.focus();
  };
  const stepTo = (at: number) => {
    const row = rows.store?.rowAt(at);
    return row && (() => change({ row: row.number, at }, { isStep: false }));
  };
  const facetList = facets.value && (
    <FacetList facets={facets.value.facets} choice={choice} change={change} />
  );
  const drawer = choice.row !== null && (
    <RowDrawer
      job={job}
      run={run}
      number={choice.row}
      mending={mending}
      turn={turn}
      focusTurn={focusTurn}
      onClose={close}
      onPrevious={choice.at === null ? undefined : stepTo(choice.at - 1)}
      onNext={choice.at === null ? undefined : stepTo(choice.at + 1)}
    />
  );
  const chosen = Object.values(choice.facets).flat().length;
  return (
    <>
      <div class="tools">
        {!isWide && (
          <button type="button" onClick={() => setSheet('facets')}>
            Filter{chosen > 0 && ` (${count(chosen)})`}
          </button>
        )}
        <SearchBox
          search={choice.search}
          change={change}
          isDisabled={page?.index.trouble != null}
          onLeave={() => grid.current?.focus()}
        />
        <p class="tools-count" role="status">
          {page && rowsWords(page.total, page.all, isNarrowed(choice))}
        </p>
        {mending.mended.columns.length > 0 &&
          (isNarrowed(choice) || countRejected(facets.value) > 0) && (
            <button
              type="button"
              aria-pressed={isMending}
              onClick={() => change({ facets: isMending ? {} : { status: rejected } })}
            >
              {isWide ? 'Rejected: mend' : 'Mend'}
            </button>
          )}
        <button type="button" onClick={() => setSheet('columns')}>
          Columns
        </button>
        <button type="button" disabled={!page} onClick={() => setSheet('download')}>
          Download
        </button>
      </div>
      <Chips facets={facets.value?.facets ?? []} choice={choice} change={change} />
      {page && (
        <IndexNote index={page.index} isNeeded={isNarrowed(choice) || choice.sort !== null} />
      )}
      {isBehind && (
        <p class="index-note">
          The run has gone on since.{' '}
          <button type="button" class="plain" onClick={rows.refresh}>
            Show what is new
          </button>
        </p>
      )}
      {rows.store?.problem && <Problem problem={rows.store.problem} />}
      <div class={drawer && isWide ? 'table-place with-drawer' : 'table-place'}>
        {isWide && (
          <aside class="facets" aria-label="Narrow the table" aria-busy={facets.isLoading}>
            {facetList}
            {facets.problem && <p class="note">{facets.problem.message}</p>}
          </aside>
        )}
        <div class="table-frame">
          {rows.isLoading && <div class="loading-line late" aria-hidden="true" />}
          <Grid
            columns={columns}
            rows={rows}
            choice={choice}
            change={change}
            pinnedColumns={isWide ? (drawer ? 1 : 2) : 0}
            onEnter={() => setFocusTurn((before) => before + 1)}
            element={grid}
            mending={mending}
            isMending={isMending}
          />
          {page?.total === 0 && <Nothing choice={choice} onClear={() => change(everything)} />}
        </div>
        {isWide && drawer}
      </div>
      <MendBar mending={mending} isOn={isMending} isRunning={isRunning} onAsked={onAskedAgain} />
      {!isWide && drawer && (
        <Sheet title="Row" side="whole" onClose={close}>
          {drawer}
        </Sheet>
      )}
      {sheet === 'facets' && !isWide && (
        <Sheet title="Filter" side="left" onClose={() => setSheet(undefined)}>
          <SheetHead title="Filter" onClose={() => setSheet(undefined)} />
          {facetList}
        </Sheet>
      )}
      {sheet === 'download' && page && (
        <Sheet title="Download" onClose={() => setSheet(undefined)}>
          <SheetHead title="Download" onClose={() => setSheet(undefined)} />
          <DownloadForm
            {...{ job, run, known, choice }}
            shown={names}
            total={page.total}
            all={page.all}
          />
        </Sheet>
      )}
      {sheet === 'columns' && (
        <Sheet title="Columns" onClose={() => setSheet(undefined)}>
          <SheetHead title="Columns" onClose={() => setSheet(undefined)} />
          <ColumnMenu
            known={known}
            shown={chosenColumns.map(({ name }) => name)}
            choice={choice}
            change={change}
            onSaved={onPresetSaved}
          />
        </Sheet>
      )}
    </>
  );
}

const everything = { search: '', facets: {} };

/**
 * The columns of the choice; names that this run does not have are left out. The outcome is second, beside
 * what the user knows a row by: after all cells of a wide list nobody would see it.
 */
function shownColumns({ columns, presets }: TableColumns, choice: Choice): readonly TableColumn[] {
  const preset = presets.find(({ name }) => name === choice.preset) ?? presets[0];
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = (choice.columns ?? preset?.columns ?? []).flatMap((name) => byName.get(name) ?? []);
  const [first, ...others] = shown.length > 0 ? shown : columns;
  const outcome = others.filter(({ name }) => name === 'status');
  const rest = others.filter(({ name }) => name !== 'status');
  return first ? [first, ...outcome, ...rest] : [];
}

function rowsWords(total: number, all: number, isPart: boolean): string {
  return isPart ? `${count(total)} of ${counted(all, 'row', 'rows')}` : counted(all, 'row', 'rows');
}

interface NothingProps {
  readonly choice: Choice;
  readonly onClear: () => void;
}

function Nothing({ choice, onClear }: NothingProps) {
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

interface Refreshed {
  readonly rows: ShownRows;
  readonly facets: { readonly value: Facets | undefined; reload(): void };
  readonly turn: number;
  readonly choice: Choice;
  readonly isRunning: boolean;
  readonly grid: { readonly current: HTMLElement | null };
}

/**
 * Loads what has changed again. A table that is narrowed or sorted gets rows in between, so it waits for
 * the user, who would lose the place, unless it stands at its top. Gives whether it waits.
 */
function useRefresh({ rows, facets, turn, choice, isRunning, grid }: Refreshed): boolean {
  const [isBehind, setBehind] = useState(false);
  const isOrdered = isNarrowed(choice) || choice.sort !== null;
  useEffect(() => {
    if (turn === 0) return;
    const waits = isRunning && isOrdered && (grid.current?.scrollTop ?? 0) > 0;
    setBehind(waits);
    if (!waits) rows.refresh();
  }, [turn]);
  useEffect(() => setBehind(false), [rows.order]);
  // Counting facets reads the whole index, so it is done less often.
  const slowTurn = useTurns(String(turn), 3_000);
  useEffect(() => {
    if (slowTurn > 0) facets.reload();
  }, [slowTurn]);

  const indexes = [rows.store?.page?.index, facets.value?.index];
  const isFilling = indexes.some((index) => index && !index.isWhole && index.trouble === null);
  useEffect(() => {
    if (!isFilling || isRunning) return undefined;
    const timer = setInterval(() => {
      rows.refresh();
      facets.reload();
    }, 1_000);
    return () => clearInterval(timer);
  }, [isFilling, isRunning]);
  return isBehind;
}
