import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Statements } from '../statements.ts';

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

export function talliesIn({ change, get }: Statements) {
  const put = change(`
    insert or replace into tally (job, run_id, bytes) values (:job, :runId, :bytes)`);
  const find = get<{ runId: number; bytes: Buffer }>(
    `select run_id as runId, bytes from tally where job = ?`,
  );
  return {
    put(job: string, { runId, tally }: { runId: number; tally: unknown }) {
      put({ job, runId, bytes: zstdCompressSync(JSON.stringify(tally), withChecksum) });
    },
    last(job: string) {
      const stored = find(job);
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
