import type Database from 'better-sqlite3';
import { distinctiveGrams } from '../core/names/compare-names.ts';

/** Names in one segment. A load keeps the grams of one segment in memory. */
const segmentNames = 100_000;
/** Ids read for one question: a common gram like `ing` finds too many names to be of use. */
const mostIds = 30_000;
/** A wrong letter spoils three grams. */
const leastGrams = 6;

interface Segment {
  readonly base: number;
  readonly ids: Buffer;
}

/** Call `add` with ascending ids. */
export function openGramWriter(db: Database.Database, source: number) {
  const insert = db.prepare<Segment & { gram: string; source: number }>(
    `insert into gram (gram, base, source, ids) values (:gram, :base, :source, :ids)`,
  );
  let grams = new Map<string, number[]>();
  let base: number | undefined;
  const flush = () => {
    if (base === undefined) return;
    for (const [gram, ids] of grams) insert.run({ gram, base, source, ids: packed(ids, base) });
    grams = new Map();
    base = undefined;
  };
  return {
    add(id: number, fold: string) {
      if (base !== undefined && id - base >= segmentNames) flush();
      base ??= id;
      for (const gram of distinctiveGrams(fold)) {
        const ids = grams.get(gram);
        if (ids) ids.push(id);
        else grams.set(gram, [id]);
      }
    },
    flush,
  };
}

export function gramsIn(db: Database.Database) {
  const sizes = db
    .prepare<[string], number>(`select coalesce(sum(length(ids)), 0) from gram where gram = ?`)
    .pluck();
  const segments = db.prepare<[string], Segment>(`select base, ids from gram where gram = ?`);
  const counts = new Uint8Array(segmentNames);
  // There are some ten thousand grams, and every question needs the sizes of its own.
  const known = new Map<string, number>();
  const sizeOf = (gram: string) => {
    const size = known.get(gram) ?? sizes.get(gram) ?? 0;
    known.set(gram, size);
    return size;
  };
  return {
    /** Ids of the names that share most of the rarest grams, best first. */
    similar(fold: string, most: number): number[] {
      const sized = [...distinctiveGrams(fold)].map((gram) => ({ gram, size: sizeOf(gram) }));
      sized.sort((one, other) => one.size - other.size);
      const chosen: string[] = [];
      let read = 0;
      for (const { gram, size } of sized) {
        if (chosen.length >= leastGrams && read + size > mostIds) break;
        read += size;
        chosen.push(gram);
      }
      const found = chosen.flatMap((gram) => segments.all(gram));
      const least = Math.max(1, Math.ceil(chosen.length * 0.3));
      const hits: { id: number; count: number }[] = [];
      for (const [base, inSegment] of Map.groupBy(found, (segment) => segment.base)) {
        const touched: number[] = [];
        for (const { ids } of inSegment) countIds(ids, counts, touched);
        for (const offset of touched) {
          const count = counts[offset] ?? 0;
          counts[offset] = 0;
          if (count >= least) hits.push({ id: base + offset, count });
        }
      }
      hits.sort((one, other) => other.count - one.count);
      return hits.slice(0, most).map(({ id }) => id);
    },
  };
}

/** Differences in seven bits a byte: most take one byte. */
function packed(ids: readonly number[], base: number) {
  const bytes = Buffer.allocUnsafe(ids.length * 3);
  let end = 0;
  let last = base;
  for (const id of ids) {
    let difference = id - last;
    last = id;
    while (difference > 0x7f) {
      bytes[end++] = (difference & 0x7f) | 0x80;
      difference >>>= 7;
    }
    bytes[end++] = difference;
  }
  return bytes.subarray(0, end);
}

function countIds(bytes: Buffer, counts: Uint8Array, touched: number[]) {
  let offset = 0;
  let difference = 0;
  let shift = 0;
  for (const byte of bytes) {
    difference |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte > 0x7f) continue;
    offset += difference;
    difference = 0;
    shift = 0;
    const before = counts[offset] ?? 0;
    if (before === 0) touched.push(offset);
    counts[offset] = before + 1;
  }
}
