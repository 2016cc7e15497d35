import { identifyRow } from '../../identify/identify-row.ts';
import { judgeValue } from '../../identify/judge-value.ts';
import type { Correction } from '../../job/mended/correction.ts';
import { findCorrections } from '../../run/corrections.ts';
import type { CellVerdict } from '../api/mended.ts';
import type { WholeRow } from '../api/whole-row.ts';
import { type ReadColumns, readingOf } from './mended-job.ts';
import { meaningOf } from './verdict-words.ts';

interface JudgedCell {
  readonly header: string;
  readonly value: string;
  readonly row: WholeRow;
  readonly read: ReadColumns;
  /** All corrections of the job. */
  readonly kept: readonly Correction[];
}

export interface Judgement {
  readonly verdict: CellVerdict;
  readonly cell: Pick<Correction, 'row_key' | 'column'>;
  /** What is to be kept, where the verdict is `good`. */
  readonly correction: Correction | undefined;
}

/** Judges a cell as `dossier fix` would judge it in a rejects file that holds this cell alone. */
export function judgeCell({ header, value, row, read, kept }: JudgedCell): Judgement {
  const { key, status } = row.row;
  const { index, as } = readingOf(read, header);
  const ofRow = kept.filter(({ row_key }) => row_key === key);
  const cells = mendedCells(row, ofRow);
  const rows = [{ key, cells: [value], line: row.row.number }];
  const file = { columns: [header], rows, encoding: undefined };
  const list = {
    ...read,
    rows: new Map([[key, { cells, isMatched: status === 'matched' }]]),
  };
  const found = findCorrections(file, list, ofRow);
  const cell = { row_key: key, column: header };
  const nothing = (verdict: CellVerdict): Judgement => ({
    verdict,
    cell,
    correction: undefined,
  });
  const verdict = judgeValue(value, as);
  const meaning = meaningOf(value, verdict, read.plan.country.default);
  const [refused] = found.refused;
  if (refused) {
    const fix = 'reject' in verdict ? verdict.fix : null;
    return nothing({ kind: 'refused', text: refused.message, fix });
  }
  if (found.matched > 0) {
    const text = 'The row has a company already, so there is nothing to mend.';
    return nothing({ kind: 'refused', text, fix: null });
  }
  const [correction] = found.corrections;
  if (correction || found.again > 0) {
    const now = cells.map((text, place) => (place === index ? value.trim() : text));
    const kind = correction ? 'good' : 'same';
    return { verdict: { ...meaning, kind, fix: stillWrong(now, read.plan) }, cell, correction };
  }
  const isBack = ofRow.some(({ column, was }) => column === header && was.trim() === value.trim());
  return nothing({ ...meaning, kind: isBack ? 'back' : 'same' });
}

/** The cells of a row with the corrections that its run has not read yet. */
function mendedCells({ list }: WholeRow, ofRow: readonly Correction[]): string[] {
  return list.map(({ header, cell }) => {
    const own = ofRow.find(({ column, was }) => column === header && was === (cell ?? ''));
    return own?.now ?? cell ?? '';
  });
}

/** Another cell may keep the row from being asked for: a good domain does not help a wrong country. */
function stillWrong(cells: readonly string[], plan: ReadColumns['plan']): string | null {
  const { reject } = identifyRow(cells, plan);
  return reject ? `The row is still rejected for another cell: ${reject.message}` : null;
}
