import { DossierError } from '../../errors.ts';
import type { ExportSummary, PreparedExport } from '../../sinks/prepared-export.ts';
import type { WrittenPlace } from './written-place.ts';

/** A place that a result is to be written to. */
export interface PlaceToWrite extends Pick<WrittenPlace, 'kind' | 'address' | 'leftOut'> {
  /** Absent where it is left out. */
  prepare?(): Promise<PreparedExport>;
}

/**
 * Writes a result to all its places. Everything is prepared before the first is shown, folders before the others: what
 * fails in a folder fails as a whole. A place elsewhere that cannot be reached is left out, and undoes nothing.
 */
export async function writePlaces(
  places: readonly PlaceToWrite[],
  signal?: AbortSignal,
): Promise<WrittenPlace[]> {
  const written = new Map<PlaceToWrite, WrittenPlace>();
  const prepared = new Map<PlaceToWrite, PreparedExport>();
  /** A signal is no trouble of a place: it ends the writing, as long as nothing is shown. */
  const tolerate = async (place: PlaceToWrite, step: () => Promise<unknown>) => {
    try {
      await step();
    } catch (error) {
      if (isFolder(place) || !(error instanceof DossierError)) throw error;
      if (signal?.aborted && error === signal.reason) throw error;
      const { kind, address } = place;
      written.set(place, { kind, address, failed: error });
    }
  };
  try {
    for (const place of inOrder(places, ['folder', 's3', 'postgres'])) {
      const { prepare, leftOut } = place;
      if (!prepare || leftOut !== undefined) continue;
      await tolerate(place, async () => prepared.set(place, await prepare()));
    }
    signal?.throwIfAborted();
    // Until its COMMIT a database may keep its readers waiting: no store is waited for in between.
    for (const place of inOrder([...prepared.keys()], ['folder', 'postgres', 's3'])) {
      const result = prepared.get(place) as PreparedExport;
      prepared.delete(place);
      await tolerate(place, async () => written.set(place, shown(place, await result.commit())));
    }
  } finally {
    // What could not be taken back is swept by the next that writes there.
    for (const result of prepared.values()) await result.abort().catch(() => {});
  }
  return places.map((place) => written.get(place) ?? leftOutOf(place));
}

/** By kind; those of one kind as the job has them. */
function inOrder(
  places: readonly PlaceToWrite[],
  kinds: readonly PlaceToWrite['kind'][],
): PlaceToWrite[] {
  return kinds.flatMap((kind) => places.filter((place) => place.kind === kind));
}

function isFolder({ kind }: PlaceToWrite): boolean {
  return kind === 'folder';
}

function shown({ kind }: PlaceToWrite, summary: ExportSummary): WrittenPlace {
  const { folder: address, notLoaded } = summary;
  return notLoaded === undefined
    ? { kind, address, summary }
    : { kind, address, leftOut: notLoaded };
}

function leftOutOf({ kind, address, leftOut = '' }: PlaceToWrite): WrittenPlace {
  return { kind, address, leftOut };
}
