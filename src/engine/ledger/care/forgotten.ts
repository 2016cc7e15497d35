import { randomBytes } from 'node:crypto';
import { collectHashes, type HashedIdentifiers, hashKey } from '../../../core/rules/suppression.ts';
import type { Statements } from '../statements.ts';

/** The identifiers that the ledger must not fetch again, as salted hashes. */
export function forgottenIn({ run, all }: Statements) {
  const stored = all<{ salt: string; hash: Buffer }>(`select salt, hash from forgotten`);
  const add = run<[salt: string, hash: Buffer]>(
    `insert into forgotten (salt, hash) values (?, ?) on conflict do nothing`,
  );
  const remove = run(`delete from forgotten where salt = ? and hash = ?`);
  return {
    /** One set for each salt: a merge brings the hashes of another ledger. */
    sets(): HashedIdentifiers[] {
      const sets = new Map<string, ReturnType<typeof collectHashes>>();
      for (const { salt, hash } of stored()) {
        const set = sets.get(salt) ?? collectHashes(salt);
        set.add(hash.readBigUInt64BE());
        sets.set(salt, set);
      }
      return [...sets.values()].map((set) => set.sorted());
    },
    add(keys: Iterable<string>) {
      const salt = stored()[0]?.salt ?? randomBytes(16).toString('hex');
      for (const key of keys) add(salt, hashOf(key, salt));
    },
    /** Gives how many of the keys were forgotten. */
    remove(keys: readonly string[]) {
      const salts = new Set(stored().map(({ salt }) => salt));
      const isRemoved = (key: string) =>
        [...salts].filter((salt) => remove(salt, hashOf(key, salt)).changes > 0).length > 0;
      return keys.filter(isRemoved).length;
    },
    /** The hashes of another ledger, with their salt. */
    take(other: Iterable<{ salt: string; hash: Buffer }>) {
      for (const { salt, hash } of other) add(salt, hash);
    },
    stored,
  };
}

function hashOf(key: string, salt: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hashKey(key, salt));
  return bytes;
}
