import { randomUUID } from 'node:crypto';
import type { ObjectAddress, ObjectStore } from './object-store.ts';
import { unconditional } from './put-object.ts';

/** Of no object. */
const otherEtag = '"0123456789abcdef0123456789abcdef"';

/**
 * Makes sure that the store heeds conditions, by writes to an object that is there, of which none may happen. A
 * lock in a store that ignores them would be held by everybody.
 */
export async function requireConditions(
  store: ObjectStore,
  standing: ObjectAddress,
  bytes: Uint8Array,
): Promise<void> {
  for (const condition of [{ ifAbsent: true }, { ifEtag: otherEtag }] as const) {
    if (await store.put(standing, bytes, { condition })) throw unconditional(standing);
  }
}

/** The same before there is an object, by one beside the address that is removed again. */
export async function tryConditions(store: ObjectStore, near: ObjectAddress): Promise<void> {
  const probe = { ...near, key: `${near.key}.probe-${randomUUID()}` };
  const bytes = Buffer.from('A test by Dossier whether this store heeds conditions.\n');
  try {
    await store.put(probe, bytes, { condition: { ifAbsent: true } });
    await requireConditions(store, probe, bytes);
  } finally {
    await store.remove(probe);
  }
}
