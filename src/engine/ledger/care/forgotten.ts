import { randomBytes } from 'node:crypto';
import { collectHashes, type HashedIdentifiers, hashKey } from '../../../core/rules/suppression.ts';
import type { Statements } from '../statements.ts';

interface Line {
  readonly salt: string;
  readonly given: Buffer;
  readonly hash: Buffer;
}

/** Identifiers that runs must not fetch again, as salted hashes. */
export function forgottenIn({ run, all, values }: Statements) {
  const stored = all<Line, []>(`select salt, given, hash from forgotten`);
  const salts = values<string>(`select distinct salt from forgotten`);
  const add = run<[Line]>(`
    insert into forgotten (salt, given, hash) values (:salt, :given, :hash) on conflict do nothing`);
  const remove = run(`delete from forgotten where salt = ? and given = ?`);
  return {
    /** One set per salt, because a merge brings hashes from another ledger. */
    sets(): HashedIdentifiers[] {
      const bySalt = Map.groupBy(stored(), ({ salt }) => salt);
      return [...bySalt].map(([salt, lines]) => {
        const set = collectHashes(salt);
        for (const { hash } of lines) set.add(hash.readBigUInt64BE());
        return set.sorted();
      });
    },
    add(given: string, keys: Iterable<string>) {
      const [salt = randomBytes(16).toString('hex')] = salts();
      for (const key of keys) add({ salt, given: hashOf(given, salt), hash: hashOf(key, salt) });
    },
    remove: (keys: readonly string[]) =>
      keys.filter((key) => {
        const removed = salts().map((salt) => remove(salt, hashOf(key, salt)).changes);
        return removed.some((changes) => changes > 0);
      }).length,
    stored,
    put: add,
  };
}

function hashOf(key: string, salt: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hashKey(key, salt));
  return bytes;
}
