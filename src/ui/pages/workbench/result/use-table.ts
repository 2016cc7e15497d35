import { useMemo, useRef, useState } from 'preact/hooks';
import type {
  Facets,
  IndexState,
  RowsPage,
  ShownRun,
  TableColumn,
  TableColumns,
} from '../../../workbench/api/answers.ts';
import { request } from '../../parts/api.ts';
import { useLoaded } from '../../parts/load.ts';
import { type Choice, queryOf } from './choice.ts';
import { isDone } from './run-head.tsx';
import { useChoice } from './use-choice.ts';
import { fixableFirst, fixableRows, useFixing } from './use-fixing.ts';

export interface TableProps {
  job: string;
  run: string | undefined;
  known: TableColumns;
  newest: ShownRun;
  isRunning: boolean;
  canFix: boolean;
  onPresetSaved: () => void;
}

export type Table = ReturnType<typeof useTable>;

export function useTable(props: TableProps) {
  const { job, run, known, newest, isRunning, canFix } = props;
  const choice = useChoice();
  const [sheet, setSheet] = useState<'Columns' | 'Download' | 'Filters'>();
  const [focusTurn, setFocusTurn] = useState(0);
  const grid = useRef<HTMLTableElement>(null);
  const isFixable = canFix && !choice.isPeople;
  const fixing = useFixing(job, run, isFixable ? `${newest.run} ${isRunning}` : undefined, choice);
  const shown = useMemo(
    () => shownColumns(known, choice),
    [known.columns, known.presets.length, choice.preset, choice.columns.join('\n')],
  );
  const columns = useMemo(
    () => (fixing.isOn ? fixableFirst(shown, known.columns, fixing) : shown),
    [shown, fixing.isOn, fixing.fixes.columns],
  );
  const { rows: frozen } = fixing;
  const query = { job, run };
  const offset = (choice.page - 1) * choice.size;
  const body = {
    ...queryOf(choice),
    offset,
    limit: choice.size,
    columns: columns.map(({ name }) => name),
    numbers: frozen?.slice(offset, offset + choice.size),
  };
  const isWaiting = choice.isFixing && isFixable && !frozen;
  const loaded = useLoaded(
    JSON.stringify([isWaiting, isRunning, query, body]),
    async (signal) => {
      const page = await request<RowsPage>('rows', { query, body, signal });
      return frozen ? { ...page, total: frozen.length } : page;
    },
    ({ index }) => (isRunning || isFilling(index)) && 1_000,
  );
  const page = loaded.value;
  const facets = useFacets(props, choice);
  const fixable = fixableRows(choice, facets.value, fixing);
  const isIdle = !isRunning && !choice.isFixing && fixing.waiting.length === 0 && !sheet;
  const isCounted =
    page && facets.value && !isFilling(facets.value.index) && (fixing.isLoaded || !isFixable);
  return {
    ...props,
    choice,
    sheet,
    setSheet,
    fixing,
    shown,
    columns,
    loaded,
    page,
    facets,
    fixable,
    /** The step that the page recommends. */
    next:
      (!canFix || isDone(newest)) &&
      isIdle &&
      isCounted &&
      (fixable ? 'Fix' : page.total === 0 ? 'Read' : 'Download'),
    grid,
    focusGrid: () => grid.current?.focus(),
    focusTurn,
    focusPanel: () => setFocusTurn((before) => before + 1),
  };
}

const isFilling = ({ isWhole, problem }: IndexState) => !isWhole && problem === null;

function useFacets({ job, run, isRunning }: TableProps, choice: Choice) {
  const [openFacets, setOpenFacets] = useState<readonly string[]>([]);
  const query = { job, run };
  const body = { ...queryOf({ ...choice, sort: null }), openFacets };
  const loaded = useLoaded(
    JSON.stringify([isRunning, query, body]),
    (signal) => request<Facets>('facets', { query, body, signal }),
    // During a run facets are counted less often: counting reads the whole flat table.
    ({ index }) => (isRunning ? 3_000 : isFilling(index) && 1_000),
  );
  return {
    ...loaded,
    open: (name: string) => setOpenFacets((before) => [...before, name]),
  };
}

/** A list may have 100,000 columns, too many to draw. */
export const mostShown = 200;

export function chosenColumns(
  { presets }: TableColumns,
  { preset, columns }: Choice,
): readonly string[] {
  if (columns.length > 0) return columns;
  return (presets.find(({ name }) => name === preset) ?? presets[0])?.columns ?? [];
}

/** Skips columns of a preset that this run does not have. */
function shownColumns(known: TableColumns, choice: Choice): readonly TableColumn[] {
  const { columns } = known;
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = chosenColumns(known, choice).flatMap((name) => byName.get(name) ?? []);
  return (shown.length > 0 ? shown : columns).slice(0, mostShown);
}
