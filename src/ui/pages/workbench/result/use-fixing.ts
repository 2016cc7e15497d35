import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, shorten } from '../../../../core/values/format.ts';
import { mostCellsPerRequest } from '../../../words/limits.ts';
import type {
  CellVerdict,
  Facets,
  Fixes,
  RowNumbers,
  TableColumn,
  TableRow,
} from '../../../workbench/api/answers.ts';
import type { TypedCell } from '../../../workbench/api/requests.ts';
import { request } from '../../parts/api.ts';
import { skipOwnChange, useAttempt, useLoaded, useRequest } from '../../parts/load.ts';
import { type Choice, queryOf } from './choice.ts';
import { changeChoice } from './use-choice.ts';

/** A corrected cell might find a company for these rows. */
export const fixableStatuses = ['invalid', 'not_found'] as const;
const isFixable = (status: string) => fixableStatuses.some((one) => one === status);

export type Fixing = ReturnType<typeof useFixing>;
export type ShownCorrection = Fixes['corrections'][number];

export interface EditedCell {
  readonly number: number;
  readonly header: string;
  /** Typed text that replaces the text of the cell. */
  readonly text?: string;
}

/** The keyboard goes to the wrong cell of this row as soon as the table shows it. */
interface Target {
  readonly number: number | undefined;
  /** Rows must not move under the mouse. */
  readonly isStill?: boolean;
}

export function useFixing(
  job: string,
  run: string | undefined,
  /** Changes when a run may have read the list; undefined if nothing can be fixed. */
  listVersion: string | undefined,
  choice: Choice,
) {
  const [editing, setEditing] = useState<EditedCell>();
  const corrections = useCorrections(job, listVersion);
  const isOn = choice.isFixing && corrections.fixes.columns.length > 0;
  const frozen = useFrozenRows(job, run, isOn, choice);
  const rows = isOn && !frozen.isLoading ? frozen.value : undefined;
  const [target, setTarget] = useState<Target>();
  const first = rows?.[0];
  useEffect(() => setTarget({ number: first }), [first]);
  const goTo = (to: Target | undefined) => {
    setEditing(undefined);
    setTarget(to);
    turnTo(to?.number);
  };
  const turnTo = (number: number | undefined) => {
    const at = number !== undefined && rows ? rows.indexOf(number) : -1;
    if (at !== -1) changeChoice({ page: 1 + Math.floor(at / choice.size) }, false);
  };
  const begin = (cell: EditedCell | undefined) => {
    setTarget(undefined);
    setEditing(cell);
    turnTo(cell?.number);
  };
  const { undo } = corrections;
  return {
    job,
    isOn,
    rows,
    ...corrections,
    problem: corrections.problem ?? frozen.problem,
    editing: isOn ? editing : undefined,
    begin,
    target: isOn ? target : undefined,
    goTo,
    undo: undo && (() => goTo({ number: undo() })),
    goDown({ number, header }: EditedCell) {
      const next = rows?.[rows.indexOf(number) + 1];
      begin(next === undefined ? undefined : { number: next, header });
    },
    ...useSelection(rows),
  };
}

/** The table keeps the rows that it showed when fixing began. */
function useFrozenRows(job: string, run: string | undefined, isOn: boolean, choice: Choice) {
  const body = queryOf(choice);
  // A new run or a reload must not change the frozen rows.
  const key = JSON.stringify(isOn && { job, ...body });
  const frozen = useRef<{ key: string; numbers: RowNumbers['numbers'] }>(undefined);
  return useLoaded(
    key,
    async (signal) => {
      if (!isOn) frozen.current = undefined;
      if (!isOn || frozen.current?.key === key) return frozen.current?.numbers;
      const options = { query: { job, run }, body, signal };
      const { index, numbers } = await request<RowNumbers>('numbers', options);
      if (index?.isWhole === false) return undefined;
      frozen.current = { key, numbers };
      return numbers;
    },
    (numbers) => isOn && !numbers && 300,
  );
}

function useCorrections(job: string, listVersion: string | undefined) {
  const loaded = useRequest<Fixes>(
    'fixes',
    listVersion === undefined ? null : { job },
    listVersion,
  );
  const fixes = loaded.value ?? nothing;
  /** Corrections that no run has read yet. */
  const waiting = fixes.corrections.filter(({ isLookedUp }) => !isLookedUp);
  const { problem, attempt } = useAttempt();
  const [note, setNote] = useState('');
  const [refused, setRefused] = useState<ReadonlyMap<string, TypedCell & CellVerdict>>(new Map());
  /** Values before each step, for Undo. */
  const [steps, setSteps] = useState<readonly (readonly TypedCell[])[]>([]);
  useEffect(() => setSteps([]), [listVersion]);
  const put = async (cells: readonly TypedCell[], isUndo = false) => {
    const verdicts: CellVerdict[] = [];
    for (let at = 0; at < cells.length; at += mostCellsPerRequest) {
      const body = { cells: cells.slice(at, at + mostCellsPerRequest) };
      const options = { method: 'PUT', query: { job }, body } as const;
      verdicts.push(...(await request<CellVerdict[]>('fixes', options)));
    }
    setRefused((before) => {
      const after = new Map(before);
      for (const [at, cell] of cells.entries()) {
        const verdict = verdicts[at];
        after.delete(cellKey(cell));
        if (verdict?.kind === 'refused') after.set(cellKey(cell), { ...cell, ...verdict });
      }
      return after;
    });
    const step = cells.map((cell, at) => ({ ...cell, value: verdicts[at]?.before ?? '' }));
    setSteps((before) => (isUndo ? before.slice(0, -1) : [...before, step]));
    await skipOwnChange(job);
    loaded.reload();
    return verdicts;
  };
  const fill = (cells: readonly TypedCell[], isUndo?: boolean) => {
    setNote(`Checking ${counted(cells.length, 'cell')} …`);
    attempt(() => put(cells, isUndo).finally(() => setNote('')));
  };
  const isWaiting = waiting.length + refused.size > 0;
  const last = isWaiting && note === '' ? steps.at(-1) : undefined;
  return {
    fixes,
    isLoaded: loaded.value !== undefined,
    waiting,
    problem: problem ?? loaded.problem,
    note,
    put,
    fill,
    /** Returns the row to go back to. */
    undo:
      last &&
      (() => {
        fill(last, true);
        return last[0]?.number;
      }),
    /** Refused values stay in their cells until they are corrected or dropped. */
    refused,
    forget(cell: EditedCell) {
      setRefused(new Map([...refused].filter(([key]) => key !== cellKey(cell))));
    },
  };
}

function useSelection(rows: readonly number[] | undefined) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const lastToggled = useRef(0);
  return {
    selected,
    select: (numbers: Iterable<number>) => setSelected(new Set(numbers)),
    toggle(number: number, isRange: boolean) {
      if (!rows) return;
      const at = rows.indexOf(number);
      const last = isRange ? rows.indexOf(lastToggled.current) : -1;
      const from = last === -1 ? at : last;
      const range = new Set(rows.slice(Math.min(at, from), Math.max(at, from) + 1));
      setSelected(selected.has(number) ? selected.difference(range) : selected.union(range));
      lastToggled.current = number;
    },
  };
}

const nothing: Fixes = { columns: [], corrections: [] };

export function cellKey({ number, header }: EditedCell): string {
  return `${number} ${header}`;
}

export function fixableIn({ fixes, isOn }: Fixing, { status }: TableRow, name: string | undefined) {
  return isOn && isFixable(status) ? fixes.columns.find((one) => one.name === name) : undefined;
}

export function correctionOf(
  { fixes }: Fixing,
  key: string,
  header: string | undefined,
  text: string,
  isCut: boolean,
): ShownCorrection | undefined {
  return fixes.corrections.find(
    (one) =>
      one.key === key && one.header === header && (isCut || one.was === text || one.now === text),
  );
}

export function wasWords(was: string): string {
  return was === '' ? 'empty' : shorten(was, 200);
}

/** Undefined if there are none. */
export function fixableRows({ facets }: Choice, counts: Facets | undefined, { fixes }: Fixing) {
  const chosen = facets.status?.filter(isFixable) ?? [];
  const status: readonly string[] = chosen.length > 0 ? chosen : fixableStatuses;
  const values = counts?.facets.find(({ name }) => name === 'status')?.values ?? [];
  const rows = values
    .filter(({ value }) => status.includes(value))
    .reduce((sum, { count }) => sum + count, 0);
  return rows > 0 && fixes.columns.length > 0 ? { facets: { ...facets, status }, rows } : undefined;
}

/** The pasted text may cover several rows and columns. */
export function paste(
  { rows = [], fixes, fill }: Fixing,
  { number, header }: EditedCell,
  text: string,
): void {
  const headers = fixes.columns.map((column) => column.header);
  const [row, column] = [rows.indexOf(number), headers.indexOf(header)];
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const cells = lines.flatMap((line, down) =>
    line.split('\t').flatMap((value, right) => {
      const below = rows[row + down];
      const beside = headers[column + right];
      return row === -1 || below === undefined || beside === undefined
        ? []
        : [{ number: below, header: beside, value: value.trim() }];
    }),
  );
  fill(cells);
}

/** The first column, which also shows outcome and reason, then what can be fixed. */
export function fixableFirst(
  shown: readonly TableColumn[],
  all: readonly TableColumn[],
  { fixes }: Fixing,
): readonly TableColumn[] {
  const isFixed = ({ name }: TableColumn) => fixes.columns.some((one) => one.name === name);
  const others = shown.filter(({ name }) => name !== 'status' && name !== 'reason');
  const columns = [
    ...others.slice(0, 1),
    ...all.filter(isFixed),
    // Other columns of the list help users find the right value.
    ...others.filter(({ isOfList }) => isOfList),
    ...others,
  ];
  return [...new Set(columns)];
}
