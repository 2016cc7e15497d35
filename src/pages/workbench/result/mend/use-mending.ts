import { useEffect, useState } from 'preact/hooks';
import type { KeptCorrection, MendableColumn, Mended } from '../../../../workbench/api/mended.ts';
import type { TableRow } from '../../../../workbench/api/rows.ts';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { useLoaded } from '../../shell/use-loaded.ts';

/** The cell that is typed into. A row may be open beside the table, so that it is there twice. */
export interface MendPlace {
  readonly number: number;
  readonly header: string;
  readonly where: 'table' | 'drawer';
}

export interface Mending {
  readonly job: string;
  readonly mended: Mended;
  readonly problem: ApiProblem | undefined;
  readonly editing: MendPlace | undefined;
  begin(place: MendPlace): void;
  leave(): void;
  /** What the server has kept. */
  put(mended: Mended): void;
  /** Takes the correction of a cell back; without one, all that were not asked for yet. */
  takeBack(cell?: Pick<KeptCorrection, 'key' | 'header'>): void;
}

type MendRow = Pick<TableRow, 'key' | 'status'>;

const nothing: Mended = { columns: [], corrections: [] };

/** What is mended of a list. `of` changes when a run may have read it; undefined where it cannot be mended. */
export function useMending(job: string, of: string | undefined): Mending {
  const [own, setOwn] = useState<Mended>();
  const [editing, setEditing] = useState<MendPlace>();
  const [problem, setProblem] = useState<ApiProblem>();
  const loaded = useLoaded(JSON.stringify([job, of]), async (signal) =>
    of === undefined ? nothing : await ask<Mended>('mended', { query: { job }, signal }),
  );
  useEffect(() => setOwn(undefined), [loaded.value]);
  // The terminal and other tabs mend, too.
  useEffect(() => {
    addEventListener('focus', loaded.reload);
    return () => removeEventListener('focus', loaded.reload);
  }, []);
  return {
    job,
    mended: own ?? loaded.value ?? nothing,
    problem: problem ?? loaded.problem,
    editing,
    begin: setEditing,
    leave: () => setEditing(undefined),
    put: setOwn,
    takeBack(cell) {
      setProblem(undefined);
      ask<Mended>('mended', { method: 'DELETE', query: { job, ...cell } }).then(setOwn, (error) =>
        setProblem(problemOf(error)),
      );
    },
  };
}

/** The column of a cell that can be mended: it says what its row asks for, and the row has no company. */
export function mendableIn(
  { mended }: Mending,
  row: MendRow,
  isColumn: (column: MendableColumn) => boolean,
): MendableColumn | undefined {
  const isRejected = row.status === 'invalid' || row.status === 'not_found';
  return isRejected ? mended.columns.find(isColumn) : undefined;
}

/** What a cell was mended to, before a run has read that or since. */
export function correctionOf(
  { mended }: Mending,
  { key }: MendRow,
  header: string,
  { text, isCut }: ShownCell,
): KeptCorrection | undefined {
  // What is cut off is replaced by how long the cell is: `… (5,000 characters; open the row for more)`.
  const beginning = text.slice(0, text.lastIndexOf('… ('));
  const isShown = (value: string) => (isCut ? value.startsWith(beginning) : value === text);
  return mended.corrections.find(
    ({ was, now, ...one }) =>
      one.key === key && one.header === header && (isShown(was) || isShown(now)),
  );
}

interface ShownCell {
  readonly text: string;
  readonly isCut: boolean;
}

/** What a cell was, for a line beside what it is now. */
export function wasWords({ was }: Pick<KeptCorrection, 'was'>): string {
  if (was === '') return 'empty';
  return was.length > 200 ? `${was.slice(0, 200)} …` : was;
}

/** Corrections that no run has read yet. */
export function notAsked({ corrections }: Mended): readonly KeptCorrection[] {
  return corrections.filter(({ isAsked }) => !isAsked);
}
