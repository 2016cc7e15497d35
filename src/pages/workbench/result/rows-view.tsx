import { useMemo, useRef, useState } from 'preact/hooks';
import type { Facets, TableColumns } from '../../../workbench/api/rows.ts';
import { ask } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { Sheet, SheetHead } from '../shell/sheet.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { useMedia } from '../shell/use-media.ts';
import { isNarrowed } from './choice.ts';
import { ColumnMenu } from './columns/column-menu.tsx';
import { shownColumns } from './columns/shown-columns.ts';
import { DownloadForm } from './download/download-form.tsx';
import { Keys } from './keys.tsx';
import { AskedNote } from './mend/asked-note.tsx';
import { MendBar } from './mend/mend-bar.tsx';
import { isOfRejected, mendableFirst } from './mend/rejected.ts';
import type { AskAgain } from './mend/use-ask-again.ts';
import { type Mending, notAsked } from './mend/use-mending.ts';
import { Chips } from './narrow/chips.tsx';
import { FacetList } from './narrow/facet-list.tsx';
import { Nothing } from './nothing.tsx';
import { RowDrawer } from './row/row-drawer.tsx';
import { wantedColumns } from './table/column-layout.ts';
import { Grid } from './table/grid.tsx';
import { IndexNote } from './table/index-note.tsx';
import { addressOf, useRows } from './table/use-rows.ts';
import { type SheetName, Tools } from './tools.tsx';
import { useChoice } from './use-choice.ts';
import { useRefresh } from './use-refresh.ts';
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
  readonly askAgain: AskAgain;
}

/** The table with all that narrows it, and the row that is open. */
export function RowsView(props: RowsViewProps) {
  const { job, run, known, mark, isRunning, onPresetSaved, mending, askAgain } = props;
  const [choice, change] = useChoice();
  const [sheet, setSheet] = useState<SheetName>();
  const [focusTurn, setFocusTurn] = useState(0);
  const isWide = useMedia('(min-width: 60rem)');
  const grid = useRef<HTMLTableElement>(null);
  const isMending = isOfRejected(choice) && mending.mended.columns.length > 0;
  const { preset, added, removed } = choice;
  const chosenColumns = useMemo(
    () => shownColumns(known, choice),
    [known.columns, known.presets.length, preset, added.join('\n'), removed.join('\n')],
  );
  const columns = useMemo(
    () =>
      isMending ? mendableFirst(chosenColumns, known.columns, mending, { isWide }) : chosenColumns,
    [chosenColumns, isMending, isWide, mending.mended.columns],
  );
  const chosenNames = useMemo(() => chosenColumns.map(({ name }) => name), [chosenColumns]);
  const [block, setBlock] = useState(0);
  const isOpen = choice.row !== null;
  const pinnedColumns = isWide ? (isOpen ? 1 : 2) : 0;
  const narrowed = { search: choice.search, facets: choice.facets };
  const rows = useRows(job, run, {
    ...narrowed,
    ...(choice.sort !== null && { sort: choice.sort, descending: choice.isDescending }),
    columns: wantedColumns(columns, pinnedColumns, block),
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
  return (
    <>
      <Tools
        {...{ choice, change, isWide, page }}
        canMend={mending.mended.columns.length > 0}
        facets={facets.value}
        onLeaveSearch={() => grid.current?.focus()}
        onOpen={setSheet}
      />
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
      <AskedNote
        {...{ askAgain, change }}
        waiting={notAsked(mending.mended).length}
        onLeave={() => grid.current?.focus()}
      />
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
            pinnedColumns={pinnedColumns}
            onBlock={setBlock}
            onEnter={() => setFocusTurn((before) => before + 1)}
            element={grid}
            mending={mending}
            isMending={isMending}
          />
          {page?.total === 0 && <Nothing choice={choice} onClear={() => change(everything)} />}
        </div>
        {isWide && drawer}
      </div>
      <MendBar mending={mending} isOn={isMending} isRunning={isRunning} onAsked={askAgain.begin} />
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
            shown={columns.map(({ name }) => name)}
            total={page.total}
            all={page.all}
          />
        </Sheet>
      )}
      {sheet === 'keys' && <Keys onClose={() => setSheet(undefined)} />}
      {sheet === 'columns' && (
        <Sheet title="Columns" onClose={() => setSheet(undefined)}>
          <SheetHead title="Columns" onClose={() => setSheet(undefined)} />
          <ColumnMenu
            known={known}
            shown={chosenNames}
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
