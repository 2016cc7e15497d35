import { createHash } from 'node:crypto';
import type { RowPlan } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import type { Correction } from '../../job/mended/correction.ts';
import type { CorrectionCounts } from '../../rules/outcomes.ts';

/**
 * The corrections of a job over one reading of its list. One applies to the row of its key, in a column that says what
 * the row asks for, while the cell holds the value that was rejected. Columns of JSON lines may come to be known later.
 */
export function openCorrections(corrections: readonly Correction[], columns: readonly string[]) {
  const byRow = Map.groupBy(corrections, ({ row_key }) => row_key);
  const applied: Correction[] = [];
  const met = new Set<string>();
  const missing = () => corrections.filter(({ row_key }) => !met.has(row_key));
  return {
    /**
     * The cells of a row as they were mended, and the columns that still hold what was read: what somebody has typed
     * was not read in a guessed encoding. Undefined where no correction applies.
     */
    mend(key: string, cells: InputRow['cells'], problem: string | undefined, plan: RowPlan) {
      const ofRow = byRow.get(key);
      if (!ofRow) return undefined;
      met.add(key);
      // Of a row that could not be read whole, a cell may be part of another.
      if (problem !== undefined) return undefined;
      const { identify, country } = plan;
      const asked = new Set([...identify.map(({ index }) => index), country.index]);
      const mended = [...cells];
      const places = new Set<number>();
      for (const correction of ofRow) {
        const place = columns.indexOf(correction.column);
        if (!asked.has(place) || (cells[place] ?? '') !== correction.was) continue;
        mended[place] = correction.now;
        places.add(place);
        applied.push(correction);
      }
      if (places.size === 0) return undefined;
      return { cells: mended, asWritten: identify.filter(({ index }) => !places.has(index)) };
    },
    /** Those that have applied so far, in the order of the rows. */
    applied,
    /** Those whose rows were not there so far. */
    missing,
    /** Of the first rows of a list alone it cannot be told which corrections it needs no more. */
    counts(isWhole: boolean): CorrectionCounts | null {
      if (corrections.length === 0) return null;
      const lacking = isWhole ? missing().length : 0;
      const unneeded = isWhole ? corrections.length - applied.length - lacking : 0;
      return { applied: applied.length, unneeded, missing: lacking };
    },
  };
}

/** Tells one set of corrections from another, whenever they were made; empty where there are none. */
export function correctionsDigest(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return '';
  const cells = corrections.map(({ at: _, ...cell }) => JSON.stringify(cell));
  return createHash('sha256').update(cells.sort().join('\n')).digest('hex');
}

/** Says that corrections apply, and once that the list no longer needs some, or lacks their rows. */
export function correctionNotes(
  counts: CorrectionCounts | null,
  last: CorrectionCounts | null | undefined,
): string[] {
  const note = (name: keyof CorrectionCounts, known: number, what: string) => {
    const count = counts?.[name] ?? 0;
    if (count <= known) return [];
    const noun = count === 1 ? 'correction' : 'corrections';
    return [`${count.toLocaleString('en')} ${noun} ${what}; see \`dossier mend <job> --list\`.`];
  };
  return [
    ...note('applied', 0, 'applied'),
    ...note('unneeded', last?.unneeded ?? 0, 'no longer needed: the list has another value there'),
    ...note('missing', last?.missing ?? 0, 'not applied: the list does not have their row keys'),
  ];
}
