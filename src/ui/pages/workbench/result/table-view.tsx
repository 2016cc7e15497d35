import { useMemo, useRef, useState } from 'preact/hooks';
import { counted, formatNumber } from '../../../../core/runtime/format.ts';
import type {
  Facets,
  IndexState,
  RowsPage,
  ShownRun,
  TableColumns,
} from '../../../workbench/api.ts';
import { request } from '../../parts/api.ts';
import { Button, NumberField, Problem, Select, Sheet } from '../../parts/controls.tsx';
import { useLoaded } from '../../parts/load.ts';
import { linkTo } from '../route.ts';
import { type Choice, isNarrowed, linesText, pageSizes, queryOf } from './choice.ts';
import { ColumnMenu, chosenColumns, shownColumns } from './columns.tsx';
import { DownloadForm } from './download-form.tsx';
import { FixBar } from './fix-bar.tsx';
import { Grid } from './grid.tsx';
import { FacetList, SearchBox } from './narrow.tsx';
import { RowPanel } from './row-panel.tsx';
import { isDone } from './run-head.tsx';
import { changeChoice as change, useChoice } from './use-choice.ts';
import { fixableFirst, fixableRows, useFixing } from './use-fixing.ts';

const isFilling = ({ isWhole, problem }: IndexState) => !isWhole && problem === null;

export function TableView(props: {
  job: string;
  run: string | undefined;
  known: TableColumns;
  newest: ShownRun;
  isRunning: boolean;
  canFix: boolean;
  /** Undefined in a report, which has no server. */
  onPresetSaved: (() => void) | undefined;
}) {
  const { job, run, known, newest, isRunning, canFix, onPresetSaved } = props;
  const choice = useChoice();
  const [sheet, setSheet] = useState<'Columns' | 'Download' | 'Filters'>();
  const [focusTurn, setFocusTurn] = useState(0);
  const [openFacets, setOpenFacets] = useState<readonly string[]>([]);
  const grid = useRef<HTMLTableElement>(null);
  const { isPeople } = choice;
  const isFixable = canFix && !isPeople;
  const fixing = useFixing(job, run, isFixable ? `${newest.run} ${isRunning}` : undefined, choice);
  const chosen = useMemo(
    () => shownColumns(known, choice),
    [known.columns, known.presets.length, choice.preset, choice.columns.join('\n')],
  );
  const columns = useMemo(
    () => (fixing.isOn ? fixableFirst(chosen, known.columns, fixing) : chosen),
    [chosen, fixing.isOn, fixing.fixes.columns],
  );
  const query = { job, run };
  const { size } = choice;
  const offset = (choice.page - 1) * size;
  const frozen = fixing.rows;
  const body = {
    ...queryOf(choice),
    offset,
    limit: size,
    columns: columns.map(({ name }) => name),
    numbers: frozen?.slice(offset, offset + size),
  };
  const isWaiting = choice.isFixing && isFixable && !frozen;
  const rows = useLoaded(
    JSON.stringify([isWaiting, isRunning, query, body]),
    async (signal) => {
      const page = await request<RowsPage>('rows', { query, body, signal });
      return frozen ? { ...page, total: frozen.length } : page;
    },
    ({ index }) => (isRunning || isFilling(index)) && 1_000,
  );
  const facetBody = { ...queryOf({ ...choice, sort: null }), openFacets };
  const facets = useLoaded(
    JSON.stringify([isRunning, query, facetBody]),
    (signal) => request<Facets>('facets', { query, body: facetBody, signal }),
    // During a run facets are counted less often: counting reads the whole flat table.
    ({ index }) => (isRunning ? 3_000 : isFilling(index) && 1_000),
  );
  const page = rows.value;

  const focusGrid = () => grid.current?.focus();
  const close = () => {
    change({ row: null });
    focusGrid();
  };
  const openAt = page?.rows.findIndex(({ number }) => number === choice.row) ?? -1;
  const stepTo = (at: number) => {
    const row = openAt === -1 ? undefined : page?.rows[at];
    return row && (() => change({ row: row.number }, false));
  };
  const fixable = fixableRows(choice, facets.value);
  const hasFixable = fixing.fixes.columns.length > 0 && fixable.rows > 0;
  const isIdle = !isRunning && !choice.isFixing && fixing.waiting.length === 0 && !sheet;
  const next =
    (!canFix || isDone(newest)) &&
    isIdle &&
    (hasFixable ? 'Fix' : page?.total === 0 ? 'Read' : 'Download');
  const filters = facets.value && (
    <FacetList
      facets={facets.value.facets}
      choice={choice}
      onOpen={(name) => setOpenFacets((before) => [...before, name])}
    />
  );
  const chosenFacets = Object.values(choice.facets).flat().length;
  return (
    <>
      <Button class="skip" onClick={focusGrid}>
        Skip to the table
      </Button>
      <div class="tools row">
        {(known.hasPeople || onPresetSaved) && (
          <fieldset class="row chips">
            <legend class="unseen">Table</legend>
            {[false, true].map((ofPeople) => (
              <Button
                key={String(ofPeople)}
                aria-pressed={isPeople === ofPeople}
                onClick={() => isPeople !== ofPeople && change(otherTable(ofPeople))}
              >
                {run === newest.run && (known.hasPeople || !ofPeople)
                  ? linesText(ofPeople ? newest.people : newest.rows.total, ofPeople)
                  : ofPeople
                    ? 'People'
                    : 'Rows'}
              </Button>
            ))}
          </fieldset>
        )}
        <Button class="narrow-only" onClick={() => setSheet('Filters')}>
          Filter{chosenFacets > 0 && ` (${formatNumber(chosenFacets)})`}
        </Button>
        <SearchBox
          search={choice.search}
          isDisabled={page?.index.problem != null}
          onLeave={focusGrid}
        />
        <p class="tools-count note" role="status">
          {page && rowsWords(page, isPeople)}
        </p>
        {isNarrowed(choice) && (
          <Button onClick={() => change({ search: '', facets: {} })}>Clear</Button>
        )}
        {hasFixable && !choice.isFixing && (
          <Button
            class={next === 'Fix' ? 'primary' : undefined}
            onClick={() => {
              change({ isFixing: true, facets: fixable.facets, row: null });
              focusGrid();
            }}
          >
            Fix {counted(fixable.rows, 'row')}
          </Button>
        )}
        <Button onClick={() => setSheet('Columns')}>Columns</Button>
        {onPresetSaved && (
          <Button
            class={next === 'Download' ? 'primary' : undefined}
            disabled={!page}
            onClick={() => setSheet('Download')}
          >
            Download
          </Button>
        )}
      </div>
      {page && (
        <IndexNote index={page.index} isNeeded={isNarrowed(choice) || choice.sort !== null} />
      )}
      <Problem of={rows.problem} />
      <div class="table-area">
        <aside class="facets" aria-label="Filters" aria-busy={facets.isLoading}>
          {filters}
          {facets.problem && <p class="note">{facets.problem.message}</p>}
        </aside>
        <div class="table-frame">
          {rows.isLoading && <progress class="loading late" aria-hidden="true" />}
          <div class="table-scroll">
            <Grid
              label={isPeople ? 'People' : 'Rows'}
              {...{ columns, page, choice, fixing }}
              isLoading={rows.isLoading}
              onFocusPanel={() => setFocusTurn((before) => before + 1)}
              element={grid}
            />
          </div>
          {page?.total === 0 && (
            <p class="table-empty muted">
              {emptyText(choice, known.hasPeople, isRunning)}{' '}
              {next === 'Read' && isPeople && canFix && !isNarrowed(choice) && (
                <a class="button primary" href={linkTo({ view: 'read', job })}>
                  Open Read
                </a>
              )}
            </p>
          )}
          {choice.row !== null && (
            <RowPanel
              {...{ job, run, fixing, isRunning, focusTurn }}
              number={choice.row}
              onClose={close}
              onPrevious={stepTo(openAt - 1)}
              onNext={stepTo(openAt + 1)}
            />
          )}
        </div>
      </div>
      {page && <Pager page={page} choice={choice} />}
      <FixBar {...{ fixing, isRunning }} onLeave={focusGrid} />
      {sheet && page && (
        <Sheet title={sheet} onClose={() => setSheet(undefined)}>
          {sheet === 'Filters' && filters}
          {sheet === 'Columns' && (
            <ColumnMenu {...{ known, choice }} shown={chosen} onSaved={onPresetSaved} />
          )}
          {sheet === 'Download' && (
            <DownloadForm {...{ job, run, choice, page }} columns={chosenColumns(known, choice)} />
          )}
        </Sheet>
      )}
    </>
  );
}

/** Rows and people have different columns, so search, filters and sorting start again. */
function otherTable(isPeople: boolean): Partial<Choice> {
  const plain = { search: '', facets: {}, sort: null, isDescending: false, preset: null };
  return { ...plain, isPeople, columns: [], row: null, isFixing: false };
}

function rowsWords({ total, all }: RowsPage, isPeople: boolean): string {
  const lines = linesText(all, isPeople);
  return total < all ? `${formatNumber(total)} of ${lines}` : lines;
}

function IndexNote({ index, isNeeded }: { index: IndexState; isNeeded: boolean }) {
  const { isWhole, share, problem } = index;
  if (problem !== null) {
    return (
      <p class="notice">
        Search, sorting and filters do not work: {problem}. The table itself works.
      </p>
    );
  }
  if (isWhole || !isNeeded) return null;
  // 100% would look complete.
  const percent = Math.min(99, Math.floor(share * 100));
  return (
    <p class="note" role="status">
      Search, sorting and filters cover {percent}% of the rows so far.
    </p>
  );
}

function emptyText(choice: Choice, hasPeople: boolean, isRunning: boolean): string {
  const lines = choice.isPeople ? 'people' : 'rows';
  if (isNarrowed(choice)) return `No ${lines} match. Clear the search and filters.`;
  if (choice.isPeople && !hasPeople) {
    return 'This run did not search for people. In Read, tick “Search for people at each company found”, then run again.';
  }
  return choice.isPeople && !isRunning
    ? 'No people were found. In Read, choose more seniority levels or departments, then run again.'
    : `No ${lines} yet.`;
}

function Pager({ page, choice }: { page: RowsPage; choice: Choice }) {
  const { offset, rows, total } = page;
  const pages = Math.max(1, Math.ceil(total / choice.size));
  if (pages === 1 && total <= (pageSizes[0] ?? 0)) return null;
  const goTo = (page: number) => change({ page: Math.max(1, Math.min(pages, page)) });
  return (
    <nav class="pager row" aria-label="Pages">
      <p>
        {choice.isPeople ? 'People' : 'Rows'} {formatNumber(offset + 1)} to{' '}
        {formatNumber(offset + rows.length)} of {formatNumber(total)}
      </p>
      <Select
        label="Per page"
        value={String(choice.size)}
        options={pageSizes.map((size) => [String(size), String(size)])}
        onSet={(size) => change({ size: Number(size) })}
      />
      <Button disabled={choice.page <= 1} onClick={() => goTo(choice.page - 1)}>
        Previous
      </Button>
      <NumberField
        label="Page"
        min={1}
        max={pages}
        value={choice.page}
        onSet={(page) => goTo(page ?? 1)}
      />
      <span>of {formatNumber(pages)}</span>
      <Button disabled={choice.page >= pages} onClick={() => goTo(choice.page + 1)}>
        Next
      </Button>
    </nav>
  );
}
