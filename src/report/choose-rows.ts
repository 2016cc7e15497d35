import {
  mostSampledRows,
  type RowSample,
  rowClasses,
  type SampledRow,
} from '../sinks/tally/row-sample.ts';

/**
 * The rows that the page shows: all where they are few. Otherwise each class gets an equal part,
 * and what one does not need goes to the others, troubles first.
 */
export function chooseRows(sample: RowSample, most = mostSampledRows): SampledRow[] {
  const taken = new Map(rowClasses.map((name) => [name, 0]));
  let room = most;
  for (;;) {
    const hungry = rowClasses.filter((name) => (taken.get(name) ?? 0) < sample[name].length);
    if (hungry.length === 0 || room === 0) break;
    const part = Math.max(1, Math.floor(room / hungry.length));
    for (const name of hungry) {
      const had = taken.get(name) ?? 0;
      const more = Math.min(part, room, sample[name].length - had);
      taken.set(name, had + more);
      room -= more;
    }
  }
  return rowClasses
    .flatMap((name) => sample[name].slice(0, taken.get(name)))
    .sort((one, other) => one.row - other.row);
}
