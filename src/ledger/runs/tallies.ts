import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Database } from 'better-sqlite3';

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** What the last export of a job has counted of all records, for the report of a run that finds the same. */
export function talliesIn(db: Database) {
  const put = db.prepare(`
    insert or replace into tally (job, run_id, bytes) values (:job, :runId, :bytes)`);
  const get = db.prepare<{ job: string }, { runId: number; bytes: Buffer }>(
    `select run_id as runId, bytes from tally where job = :job`,
  );
  return {
    put(job: string, { runId, tally }: { runId: number; tally: unknown }) {
      put.run({ job, runId, bytes: zstdCompressSync(JSON.stringify(tally), withChecksum) });
    },
    /** Undefined where there is none, or its bytes have changed: then the records are counted again. */
    of(job: string) {
      const stored = get.get({ job });
      if (!stored) return undefined;
      try {
        const tally: unknown = JSON.parse(zstdDecompressSync(stored.bytes).toString());
        return { runId: stored.runId, tally };
      } catch {
        return undefined;
      }
    },
  };
}
