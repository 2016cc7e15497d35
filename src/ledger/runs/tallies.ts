import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';

/** What the last export of a job has counted of all records, for the report of a run that finds the same. */
export interface StoredTally {
  readonly runId: number;
  readonly tally: unknown;
}

export interface Tallies {
  put(job: string, stored: StoredTally): void;
  of(job: string): StoredTally | undefined;
}

export function talliesIn(db: Database): Tallies {
  const put = db.prepare(`
    insert or replace into tally (job, run_id, bytes) values (:job, :runId, :bytes)`);
  const get = db.prepare<{ job: string }, { run_id: number; bytes: Buffer }>(
    `select run_id, bytes from tally where job = :job`,
  );
  return {
    put(job, { runId, tally }) {
      put.run({ job, runId, bytes: pack(tally) });
    },
    of(job) {
      const stored = get.get({ job });
      if (!stored) return undefined;
      const tally = unpack(stored.bytes);
      return tally === undefined ? undefined : { runId: stored.run_id, tally };
    },
  };
}

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

function pack(tally: unknown): Buffer {
  return zstdCompressSync(JSON.stringify(tally), withChecksum);
}

/** Undefined where the bytes have changed: then the records are counted again. */
function unpack(bytes: Buffer): unknown {
  try {
    return JSON.parse(zstdDecompressSync(bytes).toString());
  } catch {
    return undefined;
  }
}
