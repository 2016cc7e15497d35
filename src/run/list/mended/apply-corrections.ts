import { createHash } from 'node:crypto';
import type { RowPlan } from '../../../identify/identify-row.ts';
import type { InputRow } from '../../../input/input-row.ts';
import type { Correction } from '../../../job/mended/correction.ts';

/** A row with its mended cells. */
export interface MendedRow {
  readonly cells: InputRow['cells'];
  /** Where they stand. */
  readonly places: ReadonlySet<number>;
}

/** The corrections of a job over one reading of its list. */
export interface ListCorrections {
  /** The cells of a row as they were mended; undefined where no correction applies. */
  mend(key: string, row: Pick<InputRow, 'cells' | 'problem'>, plan: RowPlan): MendedRow | undefined;
  /** Those that have applied so far, in the order of the rows. */
  applied(): readonly Correction[];
  /** Those whose rows were not there so far. */
  missing(): readonly Correction[];
}

/**
 * A correction applies to the row of its key, in a column that says what the row asks for, while the cell
 * holds the value that was rejected. Columns of JSON lines may come to be known later.
 */
export function openCorrections(
  corrections: readonly Correction[],
  columns: readonly string[],
): ListCorrections {
  const byRow = Map.groupBy(corrections, ({ row_key }) => row_key);
  const applied: Correction[] = [];
  const met = new Set<string>();
  return {
    mend(key, { cells, problem }, plan) {
      const ofRow = byRow.get(key);
      if (!ofRow) return undefined;
      met.add(key);
      // Of a row that could not be read whole, a cell may be part of another.
      if (problem !== undefined) return undefined;
      const applying = ofRow.flatMap((correction) => {
        const place = columns.indexOf(correction.column);
        return isAskedFor(place, plan) && (cells[place] ?? '') === correction.was
          ? [{ correction, place }]
          : [];
      });
      if (applying.length === 0) return undefined;
      const mended = [...cells];
      for (const { correction, place } of applying) {
        mended[place] = correction.now;
        applied.push(correction);
      }
      return { cells: mended, places: new Set(applying.map(({ place }) => place)) };
    },
    applied: () => applied,
    missing: () => corrections.filter(({ row_key }) => !met.has(row_key)),
  };
}

function isAskedFor(place: number, { identify, country }: RowPlan): boolean {
  if (place === -1) return false;
  return place === country.index || identify.some(({ index }) => index === place);
}

/** Tells one set of corrections from another, whenever they were made; empty where there are none. */
export function correctionsDigest(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return '';
  const cells = corrections.map(({ at: _, ...cell }) => JSON.stringify(cell));
  return createHash('sha256').update(cells.sort().join('\n')).digest('hex');
}
