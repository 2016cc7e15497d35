import Database from 'better-sqlite3';

/** Reads lines of a ledger that may be damaged. */
export interface ReadableLines {
  /** What a statement gives; undefined where it meets a page that cannot be read. */
  tryTo<Result>(read: () => Result): Result | undefined;
  /** Lines by their ids up to one, in portions. Of a portion that cannot be read, each line by itself. */
  byId<Line>(lastId: number, read: (after: number, upTo: number) => Line[]): Generator<Line>;
  /** Ids of which nothing could be read. */
  unreadable(): number;
}

/** As many answers lie on a few pages. */
const idsAtOnce = 200;

export function openReadableLines(): ReadableLines {
  let unreadable = 0;
  const tryTo: ReadableLines['tryTo'] = (read) => {
    try {
      return read();
    } catch (error) {
      const isDamage = error instanceof Database.SqliteError && /CORRUPT/.test(error.code);
      if (!isDamage) throw error;
      return undefined;
    }
  };
  return {
    tryTo,
    *byId(lastId, read) {
      for (let after = 0; after < lastId; after += idsAtOnce) {
        const lines = tryTo(() => read(after, after + idsAtOnce));
        if (lines) {
          yield* lines;
          continue;
        }
        for (let id = after + 1; id <= Math.min(lastId, after + idsAtOnce); id += 1) {
          const line = tryTo(() => read(id - 1, id));
          if (line) yield* line;
          else unreadable += 1;
        }
      }
    },
    unreadable: () => unreadable,
  };
}
