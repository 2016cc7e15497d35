import { randomBytes } from 'node:crypto';
import {
  createSuppression,
  type Exclusions,
  type HashedIdentifiers,
  hashKey,
} from '../../../core/rules/suppression.ts';
import type { Provider } from '../../providers/provider.ts';
import type { Statements } from '../statements.ts';

interface Line {
  readonly salt: string;
  readonly given: Buffer;
  readonly hash: Buffer;
}

/** Replaces forgotten people with null, because page offsets count people. */
export function clearPeople(
  provider: Provider,
  json: unknown,
  isGone: (person: unknown) => boolean,
): boolean {
  const people = provider.people?.(json)?.people ?? [];
  const gone = people.flatMap((person, at) => (isGone(provider.record(person)) ? [at] : []));
  for (const at of gone) people[at] = null;
  return gone.length > 0;
}

export function forgottenIn({ change, all, value, values }: Statements) {
  const stored = all<Line, []>(`select salt, given, hash from forgotten`);
  const salts = values<string>(`select distinct salt from forgotten`);
  const hashes = values<Buffer>(`select distinct hash from forgotten where salt = ? order by hash`);
  const put = change<[Line]>(`
    insert into forgotten (salt, given, hash) values (:salt, :given, :hash) on conflict do nothing`);
  const isUnfinished = value<0 | 1>(`select exists (select 1 from forgetting)`);
  const remove = change(`delete from forgotten where salt = ? and given = ?`);
  /** One set per salt, because a merge brings hashes of another ledger with its own salt. */
  const sets = (): HashedIdentifiers[] =>
    salts().map((salt) => ({
      salt,
      hashes: BigUint64Array.from(hashes(salt), (hash) => hash.readBigUInt64BE()),
    }));
  return {
    sets,
    suppression: (exclusions?: Exclusions) =>
      createSuppression([...(exclusions?.suppressed ?? []), ...sets()]),
    add(given: string, key: string) {
      const [salt = randomBytes(16).toString('hex')] = salts();
      put({ salt, given: hashOf(given, salt), hash: hashOf(key, salt) });
    },
    isUnfinished: () => isUnfinished() === 1,
    count: value<number>(`select count(*) from forgotten`),
    remove: (keys: readonly string[]) =>
      keys.filter((key) => {
        const removed = salts().map((salt) => remove(salt, hashOf(key, salt)).changes);
        return removed.some((changes) => changes > 0);
      }).length,
    stored,
    put,
  };
}

function hashOf(key: string, salt: string) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hashKey(key, salt));
  return bytes;
}
