import type { ObjectAddress, ObjectStore } from '../../objects/object-store.ts';

/** A copy of a ledger in the store, as its name tells it. */
export interface StoredCopy {
  readonly key: string;
  readonly token: string;
  /** Undefined for one that was stored aside. */
  readonly generation: number | undefined;
}

/** The copies at a place, whether or not they count. */
export async function* listCopies(
  store: ObjectStore,
  at: ObjectAddress,
): AsyncGenerator<StoredCopy> {
  for await (const { key } of store.list({ ...at, key: `${at.key}.` })) {
    const ending = key.slice(at.key.length);
    const [, generation, token] = /^\.(?:g(\d+)|diverged)-([0-9a-f]+)$/.exec(ending) ?? [];
    if (token === undefined) continue;
    yield { key, token, generation: generation === undefined ? undefined : Number(generation) };
  }
}
