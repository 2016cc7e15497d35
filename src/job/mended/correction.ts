import { z } from 'zod';

/** A cell of a list that somebody has mended, and the value that it has to hold for that. */
export const Correction = z.strictObject({
  row_key: z.string().min(1).describe('Key of the row, as `row_key` of the outputs has it.'),
  column: z.string().min(1).describe('Name of the column, as the list has it.'),
  was: z.string().describe('What the list holds; the correction applies only while it does.'),
  now: z.string().describe('What is read instead.'),
  at: z.iso.datetime().describe('When it was mended.'),
});
export type Correction = z.output<typeof Correction>;

/** Corrections with others put over them: one of the same cell and rejected value is replaced in its place. */
export function putCorrections(
  kept: readonly Correction[],
  given: readonly Correction[],
): Correction[] {
  const byCell = new Map(kept.map((correction) => [cellOf(correction), correction]));
  for (const correction of given) {
    const before = byCell.get(cellOf(correction));
    // One that is given again stays as it was, so that its line does not change.
    if (before?.now !== correction.now) byCell.set(cellOf(correction), correction);
  }
  return [...byCell.values()];
}

/** Tells corrections apart: a cell may have been rejected with one value, and later with another. */
function cellOf({ row_key, column, was }: Correction): string {
  return JSON.stringify([row_key, column, was]);
}
