import { hash } from 'node:crypto';
import type { RowPlan } from '../../core/identify/identify-row.ts';
import { counted } from '../../core/values/format.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import { type Correction, rowHash, unnumbered } from '../../job/corrections.ts';
import type { InputRow } from '../../lists/input-row.ts';

/** A correction that stores a hash of its row applies even if `key#2` has become `key#3`. */
export function createCorrector(corrections: readonly Correction[], columns: readonly string[]) {
  const byKey = Map.groupBy(corrections, ({ row_key }) => unnumbered(row_key));
  const applied = new Set<Correction>();
  const met = new Set<Correction>();
  return {
    /** `asWritten`: columns without a correction. Only they can show a wrongly guessed encoding. */
    fix(key: string, cells: InputRow['cells'], problem: string | undefined, plan: RowPlan) {
      const ofKey = byKey.get(unnumbered(key));
      if (!ofKey) return undefined;
      const hash = rowHash(cells);
      const ofRow = ofKey.filter(({ row_key, row }) => (row ? row === hash : row_key === key));
      for (const correction of ofRow) met.add(correction);
      // In an unreadable row, a cell may contain part of a different cell, so nothing is corrected.
      if (problem !== undefined) return undefined;
      const { country, name } = plan;
      const uses = [
        ...plan.identify,
        ...(name ? [{ index: name.index, as: 'name' as const }] : []),
      ];
      const lookupColumns = new Set([...uses.map(({ index }) => index), country.index]);
      const fixed = [...cells];
      const places = new Set<number>();
      for (const correction of ofRow) {
        const place = columns.indexOf(correction.column);
        if (!lookupColumns.has(place) || (cells[place] ?? '') !== correction.was) continue;
        fixed[place] = correction.now;
        places.add(place);
        applied.add(correction);
      }
      if (places.size === 0) return undefined;
      return { cells: fixed, asWritten: uses.filter(({ index }) => !places.has(index)) };
    },
    applied,
    missing: () => corrections.filter((one) => !met.has(one)),
  };
}

/** Leaves out the times, so the same corrections made again have the same digest. */
export function correctionsDigest(corrections: readonly Correction[]): string {
  if (corrections.length === 0) return '';
  const cells = corrections.map(({ at: _, ...cell }) => JSON.stringify(cell));
  return hash('sha256', cells.sort().join('\n'));
}

export function correctionNotes({ corrections }: Pick<Run, 'corrections'>): string[] {
  const applied = corrections?.applied ?? 0;
  if (applied === 0) return [];
  return [`${counted(applied, 'correction')} applied; see \`dossier fix <job> --list\`.`];
}
