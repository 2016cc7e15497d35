import { counted, formatNumber } from '../../../../core/values/format.ts';
import type { RowsPage } from '../../../workbench/api/answers.ts';
import { Button, NumberField, Problem, Select, Sheet } from '../../parts/controls.tsx';
import { linkTo } from '../route.ts';
import { type Choice, isNarrowed, linesText, pageSizes, usualSize } from './choice.ts';
import { ColumnMenu } from './columns.tsx';
import { DownloadForm } from './download-form.tsx';
import { FixBar } from './fix-bar.tsx';
import { Grid } from './grid.tsx';
import { FacetList, SearchBox } from './narrow.tsx';
import { RowPanel } from './row-panel.tsx';
import { changeChoice as change } from './use-choice.ts';
import { type Table, type TableProps, useTable } from './use-table.ts';

export function TableView(props: TableProps) {
  const table = useTable(props);
  const { job, canFix, choice, loaded, page, facets, sheet, next } = table;
  return (
    <>
      <Button class="skip" onClick={table.focusGrid}>
        Skip to the table
      </Button>
      <Tools {...table} />
      <IndexNote {...table} />
      <Problem of={loaded.problem} />
      <div class="table-area">
        <aside class="facets" aria-label="Filters" aria-busy={facets.isLoading}>
          <FacetList {...table} />
          {facets.problem && <p class="note">{facets.problem.message}</p>}
        </aside>
        <div class="table-frame">
          {loaded.isLoading && <progress class="loading late" aria-hidden="true" />}
          <div class="table-scroll">
            <Grid {...table} />
          </div>
          {page?.total === 0 && (
            <p class="table-empty muted">
              {emptyText(table)}{' '}
              {next === 'Read' && choice.isPeople && canFix && !isNarrowed(choice) && (
                <a class="button primary" href={linkTo({ view: 'read', job })}>
                  Open Read
                </a>
              )}
            </p>
          )}
          {choice.row !== null && <RowPanel {...table} number={choice.row} />}
        </div>
      </div>
      <Pager {...table} />
      <FixBar {...table} />
      {sheet && page && (
        <Sheet title={sheet} onClose={() => table.setSheet(undefined)}>
          {sheet === 'Filters' && <FacetList {...table} />}
          {sheet === 'Columns' && <ColumnMenu {...table} />}
          {sheet === 'Download' && <DownloadForm {...table} page={page} />}
        </Sheet>
      )}
    </>
  );
}

function Tools(table: Table) {
  const { choice, page, fixable, next, focusGrid, setSheet } = table;
  const chosenFacets = Object.values(choice.facets).flat().length;
  return (
    <div class="tools row">
      <Tables {...table} />
      <Button class="narrow-only" onClick={() => setSheet('Filters')}>
        Filter{chosenFacets > 0 && ` (${formatNumber(chosenFacets)})`}
      </Button>
      <SearchBox {...table} />
      <p class="tools-count note" role="status">
        {page && rowsWords(page, choice.isPeople)}
      </p>
      {isNarrowed(choice) && (
        <Button onClick={() => change({ search: '', facets: {} })}>Clear</Button>
      )}
      {fixable && !choice.isFixing && (
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
      <Button
        class={next === 'Download' ? 'primary' : undefined}
        disabled={!page}
        onClick={() => setSheet('Download')}
      >
        Download
      </Button>
    </div>
  );
}

function Tables({ run, known, newest, choice: { isPeople } }: Table) {
  return (
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
  );
}

/** Rows and people have different columns, so search, filters and sorting start again. */
function otherTable(isPeople: boolean): Partial<Choice> {
  const plain = { search: '', facets: {}, sort: null, isDescending: false, preset: null };
  return { ...plain, isPeople, columns: [], row: null, isFixing: false };
}

function rowsWords({ total, all }: RowsPage, isPeople: boolean) {
  // The button of the table has the number of all.
  return total < all && `${formatNumber(total)} of ${linesText(all, isPeople)}`;
}

function IndexNote({ page, choice }: Table) {
  if (!page) return null;
  const { isWhole, share, problem } = page.index;
  if (problem !== null) {
    return (
      <p class="notice">
        Search, sorting and filters do not work: {problem}. The table itself works.
      </p>
    );
  }
  if (isWhole || (!isNarrowed(choice) && choice.sort === null)) return null;
  // 100% would look complete.
  const percent = Math.min(99, Math.floor(share * 100));
  return (
    <p class="note" role="status">
      Search, sorting and filters cover {percent}% of the rows so far.
    </p>
  );
}

function emptyText({ choice, known, isRunning }: Table) {
  const lines = choice.isPeople ? 'people' : 'rows';
  if (isNarrowed(choice)) return `No ${lines} match. Clear the search and filters.`;
  if (choice.isPeople && !known.hasPeople) {
    return 'This run did not search for people. In Read, tick “Search for people at each company found”, then run again.';
  }
  return choice.isPeople && !isRunning
    ? 'No people were found. In Read, choose more seniority levels or departments, then run again.'
    : `No ${lines} yet.`;
}

function Pager({ page, choice }: Table) {
  if (!page || page.total <= Math.min(choice.size, usualSize)) return null;
  const { offset, rows, total } = page;
  const pages = Math.ceil(total / choice.size);
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
